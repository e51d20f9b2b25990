"""The endpoints of files.

- `download`: sends the file of an upload, of an object, or of a former version of an object.
- `file_response`: the response with a file: headers, conditions, ranges.
- `media_type`: which files browsers may show, and under which security policy.
- `reference`: the JSON that refers to a pending file.
"""
