"""The command `stratabase`, which runs on a developer's machine. The deployed layer does not contain it.

Read `main` first, which lists the commands. Each of `init`, `serve`, `model`, `reindex`, `keys`, `members`,
`files` and `aws` is a command, with a function `configure` that adds its arguments, and a function `run`.
`subcommands` converts a table of subcommands to arguments.

- `server` has the processes of `stratabase serve`.
- `project` has the files of a project: the template of AWS, its functions, and the sample model. It reads the
  template for `gateway` and `deployment`.
- `gateway` emulates API Gateway and Lambda in these processes.
- `backfill` updates the stored objects after a change of the model.
- `transfer` sends files to an instance, and receives them, for `files` and the trial of a deployment.
- `deployment` deploys a stack to AWS, tries it, and deletes it. Only `aws` uses it.
- `terminal` has what commands share: errors, progress and settings.
- `emulator` is a separate program, which runs an emulator of AWS for local development and tests.

Imports go in one direction: commands -> server -> { gateway, backfill } -> terminal, commands ->
deployment -> transfer -> terminal, and { commands, gateway, deployment } -> project -> terminal. This package
can import the whole service, and no part of the service imports it.
"""
