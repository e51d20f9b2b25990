"""The local server: the processes of `stratabase serve`, and the HTTP server in each of them.

`process` has the supervisor and its workers, `http` the server, `documentation` the pages of the
documentation, and `commands` the command `serve`. The deployed layer does not contain this package.
"""
