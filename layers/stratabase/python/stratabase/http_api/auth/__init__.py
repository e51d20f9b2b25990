"""Authentication of callers, protection against forged requests, and the endpoints that issue tokens.

`authentication` authenticates requests by password (Basic) or token (Bearer), `csrf` rejects forged requests,
and `tokens` has the endpoints that issue tokens.

Imports `http`, and from `operations` only types.
"""
