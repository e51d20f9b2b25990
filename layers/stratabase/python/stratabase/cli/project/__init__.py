"""The files of a project that serves a model: the template of AWS, its functions and the sample model.

`folder` has the folder in which these files are. `new_project` has the files of a new project, which `init`
writes, and `templates` those that only new projects have. `origin` says what installs this package again.
`template_document` reads the template.

Imports `terminal`.
"""
