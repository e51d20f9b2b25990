"""The addresses of members, for administrators and for members themselves.

`member_shapes` says how members look in bodies; `members` (the list, a new one), `member` (one, and oneself),
`reset_password` and `hand_over` are the endpoints. Imports `auth` and `http`.
"""
