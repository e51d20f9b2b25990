"""Expressions in CEL: text is parsed, type-checked against the names of a class, and compiled to closures.

This package knows nothing of the product. A `SymbolTable` supplies the names, an `Environment` the object for
which an expression is evaluated. Read in this order:

- `syntax`: the nodes of a syntax tree, and the errors in a text
- `parser`, with `grammar` and `cel.lark`: text to tree
- `kinds` and `scope`: the types of values, and the names that an expression can use
- `environment`: the object, the caller and the time
- `typed_expression`: each node becomes a kind and an evaluator
- `literals`, `names`, `arithmetic`, `comparisons`, `logic`, `lists`, `texts`, `dates` and `conversions`: the
  checks of nodes and functions, by subject
- `implied`: what a condition implies about the object, by which a store can find objects
- `function`: the definition of a function
- `expression`: all functions of the language, and what other packages call, which uses all of these

Evaluators never raise: a value that can't be computed is null. Imports point to `formats`, `messages` and
`wording`.
"""
