"""Authentication: who sends a request, by a password or by a token.

`sign_in` verifies passwords, within the limits of `sign_in_limits`. `tokens` issues and verifies tokens.
`json_web_tokens` reads and writes their signed form, with the keys of `signing_keys`. `callers` turns members
into callers and caches members; `cache` has what all of these share between requests.
Read them in this order.

Imports point to `operations.ports` and the domain. No other package of operations imports this one.
"""
