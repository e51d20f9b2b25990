"""The local server: the processes of `stratabase serve`, and the HTTP server in each of them.

`process` has the supervisor and its workers, `http` the server, `documentation` the pages of the
documentation, `commands` the command `serve`, `settings` its settings, and `repository` says whether the code
runs from a copy of the repository. The deployed layer does not contain this package.
"""
