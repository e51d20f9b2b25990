"""The processes of `stratabase serve`: a supervisor, and a worker that it replaces when something changes.

Read `supervisor` first. It starts a worker on the socket of `listener`, sees it as a `worker_process`, and
exchanges `messages` with it. It starts another one when the `watcher` sees a file change, or when the
`watchdog` finds a worker stuck. `console` prints what the person should see.

In the worker, `worker` follows the supervisor and `service` builds and serves the model: it prints the
`welcome`, and the `sweeper` ends what deletions have left. `processes` ties a process to its parent.

With `--no-reload` there is no supervisor, and `service` runs in the one process.

Imports `gateway`, `backfill` and `terminal`.
"""
