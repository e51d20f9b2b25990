"""The CPU time of requests beside that of PostGraphile over PostgreSQL.

- `rows`: the requests, in the words of both
- `postgresql`, `postgraphile`: run the two processes, PostgreSQL with the objects of `benchmarks.staff`
- `server.mjs`, `package.json`: the server of PostGraphile, which `make peer` installs
"""
