"""Implementations of the port Keyring, which stores the keys that sign tokens.

`document` encodes the keys as text. `file` stores this text in a file of the data folder, `secrets_manager`
in a secret of AWS Secrets Manager. Both replace all keys atomically and never lose a concurrent change, as
tests/contract/keyring verifies.

Imports the domain and single modules, but not `store`.
"""
