"""The store of the bytes of files in a folder of this machine.

`folder` implements the port BlobStore over `disk`, which also has the files that are not complete yet.
tests/contract/blobs verifies that it behaves like the bucket of `stratabase_aws.s3`.
"""
