"""The endpoints of files.

- `upload`: accepts a file for an attribute.
- `multipart`: reads the file in the body of an upload.
- `tus`: accepts files in several requests, by the protocol tus; `tus_headers` reads its headers.
- `reference`: the JSON that refers to a pending file.
- `download`: sends the file of an upload, of an object, or of a former version of an object.
- `file_response`: the response with a file: headers, conditions, ranges.
- `media_type`: which files browsers may show, and under which security policy.

Imports `auth` and `http`.
"""
