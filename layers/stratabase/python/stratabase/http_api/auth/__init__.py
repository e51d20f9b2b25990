"""The schemes that authenticate callers (`authenticators`), and the endpoints that issue tokens (`tokens`).

Imports `http`, and from `operations` only types.
"""
