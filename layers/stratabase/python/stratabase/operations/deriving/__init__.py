"""The values of derived attributes, computed at each read."""
