"""The processes of `stratabase serve`: a supervisor, and workers that it replaces after changes.

Read `supervisor` first. It starts workers on the socket of `listener`, represents each as a `worker_process`,
and exchanges `messages` with it. Workers of the same model and code are a `ServedVersion`. It starts a new
one when the `watcher` detects a changed file, and another worker when the `watchdog` detects a blocked one.
While no worker can serve, `unavailable` answers. `console` prints to the terminal.

In the worker, `worker` communicates with the supervisor, and `service` builds the service and serves. It uses
`welcome` for the first lines on the terminal, and `job_threads`, which run jobs. `model_changes` says what
has changed in the model, and `access_log` and `metrics` tell what was served.
`background_output` writes logs without waiting for their reader.

With `--no-reload` and without `--workers`, there is no supervisor, and `service` runs in the only process.

Imports `server.http`, `server.documentation` and all packages below the server.
"""
