"""The endpoints that administer members, for administrators and for members themselves.

`member_shapes` defines the fields of members in bodies. The endpoints are in `members` (list and create),
`member` (one member, and the caller), `member_keys` (API keys), `sessions`, `reset_password`, `hand_over` and
`audit`. `tokens` issues tokens, and `sign_in_ways` lists the ways to sign in. Imports `core.http.base`.

`sign_in_with_provider`, `exchange` and `links` sign in with identity providers, and link accounts there.
"""
