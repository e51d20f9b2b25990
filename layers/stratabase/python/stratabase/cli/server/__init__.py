"""The processes of `stratabase serve`: a supervisor, and a worker that it replaces after changes.

Read `supervisor` first. It starts a worker on the socket of `listener`, represents it as a `worker_process`,
and exchanges `messages` with it. It starts another worker when the `watcher` detects a changed file, or when
the `watchdog` detects a blocked worker. `console` prints to the terminal.

In the worker, `worker` communicates with the supervisor, and `service` builds the service and serves. It uses
`welcome` for the first lines on the terminal, and the `sweeper`, which deletes what large deletions left.
`processes` ends a process when its parent dies.

With `--no-reload`, there is no supervisor, and `service` runs in the only process.

Imports `gateway`, `backfill` and `terminal`.
"""
