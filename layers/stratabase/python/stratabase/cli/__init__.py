"""The command `stratabase`: what a person runs on this machine. The deployed layer leaves this package out.

Read `main` first, which lists the commands. `serve`, `model`, `reindex`, `keys` and `members` are a command
each, with a function `configure`, which adds its arguments, and a function `run`. `subcommands` turns a table
of subcommands into arguments. `emulator` is a program of its own: DynamoDB on this machine, for `make run`.

`server` has the processes of `stratabase serve`, and `gateway` stands in for API Gateway and Lambda in them.
`backfill` brings stored objects up to the model. `terminal` is for what a person gives and sees.

Imports point down: commands -> server -> { gateway, backfill } -> terminal. This package may import the whole
service, and nothing of the service imports it.
"""
