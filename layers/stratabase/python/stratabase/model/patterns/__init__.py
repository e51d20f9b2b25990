"""Java's patterns for dates and numbers: writing and reading in a member's language and time zone."""
