"""What a person at the terminal gives and sees.

In no particular order: `command_error` (what went wrong, without a traceback, and the exit code), `settings`
(the settings of this machine and its data folder) and `progress` (how far a long job is).

Imports the settings of the service, and nothing of the other packages of `cli`.
"""
