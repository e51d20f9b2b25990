"""Input and output that the commands share.

- `command_error`, `wrong_package`: the errors that a command shows to the user.
- `arguments`: the arguments of commands, their subcommands, and examples in their help.
- `confirm`: asks a person before a command changes something for good.
- `settings`, `data_folder`: reads the settings, and creates and holds the data folder.
- `progress`: shows the progress of a long task.
- `table`: prints tables.
- `processes`: ends a process when its parent dies.

Imports the core.
"""
