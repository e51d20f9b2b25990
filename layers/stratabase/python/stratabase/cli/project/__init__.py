"""The files of a project that serves a model: the template of AWS, its functions and the sample model.

`folder` has the folder in which these files are.

Imports nothing of the other packages of `cli`.
"""
