"""The keys that sign tokens, in a secret of AWS Secrets Manager."""
