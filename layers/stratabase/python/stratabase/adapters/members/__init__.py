"""The stores of members and of attempts to sign in (the ports Members and Attempts).

On this machine: `sqlite_members` and `sqlite_attempts`, each with a file of its own. On AWS: `pynamodb_table`
first, the one table that both share, then `pynamodb_members` and `pynamodb_attempts`, its records.

tests/contract/members and tests/contract/attempts hold all of them to one behaviour. The layouts of the
files, and the keys and attributes of the table, must stay readable: instances have them.

Imports the engines' shared parts (store.sqlite: file, errors; store.dynamodb: client, errors, retry) and the
domain.
"""
