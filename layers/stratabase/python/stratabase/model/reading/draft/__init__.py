"""From the text of a model to its draft: what is written, every word with its place.

Read in this order: `model_draft` (what a draft is), `document` (text to GraphQL definitions), `directives`
(which there are, and reading their arguments), `parser` (definitions to draft), `resolution` (what names and
paths mean in a draft), `errors` (errors with their place).

Imports point to the model, its types, and `expressions`.
"""
