"""The commands `members` and `keys`."""
