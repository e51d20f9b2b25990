"""Implementations of the ports Members and Attempts: the stores of members and of sign-in attempts.

On one machine, `sqlite_members` and `sqlite_attempts` use a SQLite file each. On AWS, `pynamodb_members` and
`pynamodb_attempts` share one DynamoDB table. Read `pynamodb_table` before them. `metered_members` reports
what reads consume. `sqlite_mark` and `pynamodb_mark` keep the mark of the store (domain/store_mark.py).

tests/contract/members and tests/contract/attempts verify that all of them behave the same. Existing instances
contain data, so the layouts of the files and the keys and attributes of the table must stay readable.

Imports the domain and the parts that engines share (from store.sqlite: files, errors; from store.dynamodb:
client, errors, retries).
"""
