"""Files: upload, download, and removal of what nobody refers to.

- `ports`: the interfaces of the blob store and the ledger
- `upload`: accepts a file for an attribute
- `download`: opens the file of an upload, of an object, or of a former version of an object
- `bind`: copies the bytes of uploads that an object takes, before the commit
- `sweep`: removes expired uploads, and files that no object refers to any more

Writes of objects take files by `domain/write`. Imports `domain` and `operations.read`.
"""
