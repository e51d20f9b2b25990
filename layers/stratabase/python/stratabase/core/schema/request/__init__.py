"""The state of one request: imports `operations` and `domain`, and nothing of `schema`.

`context` has the context of a request, and the call of one service. `refusals` has checks that run before a
service reads anything, and `run_all`, which collects all mistakes of a request.
"""
