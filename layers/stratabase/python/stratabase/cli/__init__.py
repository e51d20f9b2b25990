"""The command `stratabase`, which runs on a developer's machine. The deployed layer does not contain it.

Read `main` first. `core/features.py` names the commands and their modules. A command is a module with a
function `configure` that adds its arguments, and a function `run`. Each product has its own. Here are those
that belong to none: `init`, `model` (with `model_explain`), `store` and `files`.

`project` has the files of a project: the template of AWS, its functions, and the sample model. This package
can import the whole service, and no part of the service imports it.
"""
