"""The model: the classes, attributes, roles, enums and profiles of one application.

Read `model` and `attribute` first. `types` has the attribute types, `constraints` the constraints of their
values; each is a file of its own in a registry. `api_names` makes every generated name. `model_expressions`
compiles the expressions of a model, `dependencies` says what derived attributes are made of. `member_names`
says whom the names of members in objects mean. `difference` compares two models, `prepared` stores one as
JSON, and `reading` makes one of the text of a model file.

Imports point to `constraints`, `types`, `expressions` and `formats`.
"""
