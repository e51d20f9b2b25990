"""Files: upload, download, and removal of what nobody refers to.

- `upload`: accepts a file for an attribute
- `resumable`: accepts a file in several requests
- `download`: opens the file of an upload, of an object, or of a former version of an object
- `bind`: copies the bytes of uploads that an object takes, before the commit
- `sweep`: removes expired uploads, and files that no object refers to any more; keeps bytes for a backup

`attributes` finds the attribute that an address names, and the upload. `open_downloads` limits large
downloads. `blob_mark` has the mark of the blob store, and `check` compares its bytes with the objects. The
interfaces of the stores are in `operations.file_ports`. Imports `operations.read`.
`operations.write` imports `bind`.
"""
