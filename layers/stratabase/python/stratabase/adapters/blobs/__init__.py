"""Implementations of the port BlobStore, which stores the bytes of files.

`folder` stores them in a folder of this machine, over `disk`. `temporary_folder` has the files that are not
complete yet. `s3` stores them in a bucket of Amazon S3, and `s3_errors` maps its errors. tests/contract/blobs
verifies that both stores behave the same.

Imports the domain and single modules, but not `store`.
"""
