"""The keyrings: where the keys that sign tokens are kept (the port Keyring).

`document` encodes the keys as text. `file` keeps that text in the home, `secrets_manager` in a secret of AWS
Secrets Manager. Both replace all keys at once, and lose no change that another process makes meanwhile:
tests/contract/keyring holds them to that.

Imports the domain and leaf modules, nothing of the store.
"""
