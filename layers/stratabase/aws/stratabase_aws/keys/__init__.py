"""Secrets of AWS Secrets Manager.

`secrets_manager` has the keys that sign tokens, and `providers_secret` the document of the
identity providers.
"""
