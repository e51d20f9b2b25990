"""Transfer of files between this machine and an instance, over its HTTP API, and of CSV files into a store.

- `credentials`: who the member is, from the options and the environment.
- `connection`: sends requests with these credentials, and repeats those that fail for a while.
- `local_file`: the file to upload.
- `form_upload`: sends a small file in one request.
- `tus_upload`: sends a large file in several requests (tus 1.0), and resumes an interrupted upload.
- `binding`: makes an object take the uploaded file.
- `download`: receives a file in ranges under a safe name, and resumes an interrupted download.
- `resumable`: what a later run needs to resume a transfer, kept in the user's cache folder.
- `import_csv`, `export_csv`, `instance_data`: work on the store, without HTTP, and share `csv_options` and
  `store_state`.

These three import `core.app`. The others import only `terminal` and the domain.
"""
