"""The commands `members`, `keys` and `providers`, and the backfill of `owners`.

`member_keys` has the subcommands of `members` for API keys, and `named_member` what all of them share.
"""
