"""The GraphQL types of answers: imports `schema.request` only.

Reading order: `attribute_types` (scalars, files), `attributes` (which attributes a class's types have, and
their fields), `objects` (`<C>`), `results` (`<C>Page` and what else services answer), `locks`, `issues`.
`registry` gives out all generated types, each made once, when it is first asked for.
"""
