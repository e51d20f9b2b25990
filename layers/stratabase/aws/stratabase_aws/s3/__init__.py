"""The store of the bytes of files in a bucket of Amazon S3."""
