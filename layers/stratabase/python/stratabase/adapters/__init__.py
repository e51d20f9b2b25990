"""What the operations need besides the store of objects: stores of members, keyrings and mailers.

Each implements a port of operations/ports.py, once for this machine and once for AWS. `members` has the
stores of members and of attempts to sign in, `keyring` the keys that sign tokens, `mail` the mailers. The
settings choose among them in bootstrap.

Imports the store only for what engines share (the SQLite file, the retry policy of DynamoDB and its
errors), the domain, and the leaf modules. The store never imports this package; only bootstrap, cli and
tests do.
"""
