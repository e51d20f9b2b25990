"""The commands `members`, `keys` and `providers`, and the backfill of `owners`."""
