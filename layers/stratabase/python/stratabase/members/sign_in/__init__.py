"""Authentication: find out which member sends a request, by password or by token.

Read the files in this order:

- `sign_in`: the scheme Basic; verifies passwords by `password_hashes`, within the limits of `sign_in_limits`
- `bearer`: the scheme Bearer; finds out what verifies the credentials: a token or an API key
- `tokens`: issues and verifies tokens
- `session_tokens`: begins and renews sessions, with a token each
- `json_web_tokens`: encodes and decodes tokens, with the keys of `signing_keys`
- `key_verifier`: finds the callers who send API keys
- `callers`: turns members into callers, and caches members
- `cache`: a bounded cache, and deduplication of concurrent work

The package imports `core.operations.ports`, `core.http.base` and the domain.
"""
