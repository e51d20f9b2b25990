"""The model: the classes, attributes, roles, enums and profiles of one application.

Read `attribute` and `model` first. Then read what you need:

- `types`: the attribute types, one per file
- `constraints`: the constraints on the values of attributes, one per file
- `language`: the scalars and directives that a model file can use
- `api_names`: every generated name
- `model_expressions`, `dependencies`: the compiled expressions, and what they depend on
- `stored_names`: the names in the store, after changes of the model; `attribute` has the values
- `users`: the class `_User`
- `member_names`: which members the names in objects refer to
- `reading`: the text of a model file becomes a `Model`, or a list of errors
- `prepared`: a model as JSON, which starts faster than the text

What a change of the model means for what is stored is in `evolution.difference`. Imports `values`.
"""
