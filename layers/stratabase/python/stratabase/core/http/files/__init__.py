"""The endpoints of files.

- `upload`: accepts a file for an attribute, in a body of multipart/form-data.
- `tus`: accepts files in several requests, by the protocol tus.
- `reference`: the JSON that refers to a pending file.
- `download`: sends the file of an upload, of an object, or of a former version of an object: conditions,
  ranges, and which files browsers may show.

Imports `core.http.base`.
"""
