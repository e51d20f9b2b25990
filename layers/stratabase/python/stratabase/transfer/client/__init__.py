"""Transfer of files between this machine and an instance, over its HTTP API, and of CSV files into a store.

- `credentials`: who the member is, from the options and the environment.
- `connection`: sends requests with these credentials, and repeats those that fail for a while.
- `local_file`: the file to upload.
- `upload`: sends a small file in one request, and a large one in several (tus 1.0); resumes an interrupted
  upload.
- `binding`: makes an object take the uploaded file.
- `download`: receives a file in ranges under a safe name, and resumes an interrupted download.
- `resumable`: what a later run needs to resume a transfer, kept in the user's cache folder.
- `import_csv`, `export_csv`, `instance_data`: work on the store, without HTTP, and share `csv_options`.

These three import `core.app`. The others import only `terminal` and the domain.
"""
