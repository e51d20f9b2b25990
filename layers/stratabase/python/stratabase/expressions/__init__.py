"""Expressions in CEL: text is parsed, checked against the names of a class, and compiled to closures.

A library that knows nothing of the product: a `SymbolTable` says which names there are, an `Environment` has
the object that is looked at. Read in this order: `syntax` (the nodes of a tree), `parser` (text to tree, with
`grammar` and `cel.lark`), `kinds` and `scope` (which values and names there are), `environment`,
`typed_expression` and `checker` (each node becomes a kind and an evaluator), then the checks by subject
(`literals`, `names`, `arithmetic`, `comparisons`, `logic`, `lists`, `texts`, `dates`, `conversions`), and
`expression`, which puts all together. `functions` lists all functions, `function` says what one is.

Evaluators never raise: what cannot be computed is null. Imports point to `formats` and `wording` only.
"""
