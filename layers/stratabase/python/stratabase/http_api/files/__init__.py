"""The endpoints of files.

- `multipart` reads the file in the body of an upload.
- `reference` renders the reference to a pending file.
- `upload` is the endpoint that accepts a file.

Imports `auth` and `http`.
"""
