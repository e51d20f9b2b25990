"""The state of one request: imports `operations` and `domain`, and nothing of `schema`.

`context` has the context of a request, the call of one service, checks that run before a service reads
anything, and `run_all`, which collects all mistakes of a request.
"""
