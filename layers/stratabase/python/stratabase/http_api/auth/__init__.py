"""Who sends a request.

`authentication` reads the Authorization header (a password or a token), `csrf` stops forged requests,
`tokens` has the endpoints that issue tokens.

Imports `http`, and from `operations` only the types of what it is given.
"""
