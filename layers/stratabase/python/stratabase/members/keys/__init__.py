"""The keys that sign tokens: when they change, and where a file keeps them.

`key_rotation` says which key signs tokens at which time. `document` encodes the keys as text, and `file`
stores this text in the data folder. A file replaces all keys atomically and never loses a concurrent change,
as tests/contract/keyring verifies.
"""
