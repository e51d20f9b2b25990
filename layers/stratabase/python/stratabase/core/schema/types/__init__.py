"""The GraphQL types of answers: imports `schema.request` only.

Read `attribute_types` first (scalars and files), then `attributes` (which attributes a class's types have,
and their fields), `objects` (`<C>`), `results` (pages and other answers), `locks`, and `issues`.
`input_enum_type` has the enums of inputs. `registry` makes each generated type when it is first used.
"""
