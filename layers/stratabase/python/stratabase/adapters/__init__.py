"""Implementations of the ports of operations, except the store of objects.

`members` stores members and sign-in attempts, `keyring` stores the keys that sign tokens, `mail` sends mail,
and `blobs` stores the bytes of files. Each port has an implementation for one machine and one for AWS.
`bootstrap` chooses by the settings. `exclusive_connection` is what their SQLite files share.

Imports the domain, single modules, and the parts of `store` that engines share (SQLite files, the DynamoDB
errors and retry policy). Only `bootstrap`, `cli` and tests import this package.
"""
