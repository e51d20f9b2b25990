"""The commands `members` and `keys`, and the backfill of `owners`."""
