"""The page on which a member sets a password, and what it says when that is done or cannot be."""
