"""The GraphQL types of answers: imports `schema.request` only.

Read `attribute_types` first (scalars, and enums of inputs), then `attributes` (which attributes the types of
a class have, and their fields), `objects` (`<C>`), `results` (pages and other answers),
`deleted_objects`, `locks` and `issues`.
`registry` makes each generated type when it is first used.
"""
