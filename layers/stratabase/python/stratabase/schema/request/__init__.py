"""What is known while one request is answered: imports `operations` and `domain`, nothing of `schema`.

`context` has the context of a request and the call of one service; `refusals` has the checks before a service
reads anything, and `run_all`, which reports all mistakes of a request at once.
"""
