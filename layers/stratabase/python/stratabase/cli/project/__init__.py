"""The files of a project that serves a model: the template of AWS, its functions and the sample model.

`new_project` has the folder in which these files are, and the files of a new project, which `init` writes;
`templates` has those that only new projects have.

Imports `terminal`.
"""
