"""Input and output that the commands share.

- `command_error`: the error that a command shows to the user.
- `confirm`: asks a person before a command changes something for good.
- `examples`: shows examples in the help of a command.
- `settings`: reads the settings, and creates the data folder.
- `progress`: shows the progress of a long task.
- `csv_options`: the options that say how a CSV file spells values.
- `shared_addresses`: reports members who have one email address in two spellings.

Imports the settings of the service, and nothing of the other packages of `cli`.
"""
