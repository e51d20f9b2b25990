"""The endpoints that administer members, for administrators and for members themselves.

`member_shapes` defines the fields of members in bodies. The endpoints are in `members` (list and create),
`member` (one member, and the caller), `member_keys` (API keys), `sessions`, `reset_password`, `hand_over` and
`audit`. `tokens` issues tokens, `sign_in_ways` lists the ways to sign in, and `sign_in_page` has the page for
people. Imports `core.http.base`.

`sign_in_with_provider`, `exchange` and `links` sign in with identity providers, and link accounts there.
"""
