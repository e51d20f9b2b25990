"""The CPU time of requests beside that of PostGraphile over PostgreSQL.

- `requests`: the requests of `benchmarks.http_rows`, in the words of PostGraphile
- `comparison`: starts the servers, lets them take turns, and has the limits
- `figures`: prints the figures, and writes them into docs/performance.md
- `postgresql`, `postgraphile`: run the two processes, PostgreSQL with the objects of `benchmarks.staff`
- `server.mjs`, `package.json`: the server of PostGraphile, which `make bench PEER=1` installs
"""
