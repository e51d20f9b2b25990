"""Files: what an object stores of a file, and files that are uploaded but belong to no object yet.

- `stored_file`: the value of a File attribute, and the keys of its bytes
- `pending_file`: an uploaded file that no object has yet
- `resumable_upload`: a file that is uploaded in several requests
- `file_name`, `media_type`: the name and the type of an uploaded file, from what the client says
- `addresses`: where clients upload and download files
- `blob`: the keys of bytes, and multipart uploads

The bytes are in a blob store (`core/operations/file_ports.py`). Imports `objects` of the domain.
"""
