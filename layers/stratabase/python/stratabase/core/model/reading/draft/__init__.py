"""The draft of a model: its text, parsed but not checked, each word with its place.

Read in this order: `model_draft` (the classes of a draft), `document` (text to GraphQL definitions),
`directives` (the directives of the language and their arguments), `parser` (definitions to draft),
`resolution` (what names and paths in a draft mean), `errors` (errors with their place).

Imports point to the model, its types, and `values.cel`.
"""
