"""AWS: the stores, keys and mail of an instance there, its Lambda functions, and its deployment.

- `endpoint`, `addresses`, `deadline`, `tracing`: access to the services of AWS
- `dynamodb`: the engine on a DynamoDB table
- `members`: members and sign-in attempts in a table
- `s3`: the bytes of files in a bucket
- `keys`, `mail`: the keys in a secret, and mail by Amazon SES or by a function
- `app`: the platform of AWS, which opens all of these
- `functions`, `streaming_runtime`: the handlers of the Lambda functions, and the runtime of those that stream
- `deploy`, `commands`: the life of a stack, and the command `aws`

Imports all packages except `server` and `cli`.
"""
