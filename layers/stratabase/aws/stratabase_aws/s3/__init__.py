"""The store of the bytes of files in a bucket of Amazon S3. `s3_errors` maps its errors."""
