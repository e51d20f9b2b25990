"""Where a value comes from."""

Path = tuple[str, ...]
"""The names of to-one roles, and at last an attribute's, or a role's whose object may be there or not."""
