"""How values are written: Java's patterns, ISO 8601, decimal numbers, regular expressions.

A library that knows nothing of the product. Read `preferences` first: a member's formats, and the check of
them. `date_pattern` formats and parses dates by a pattern, which is made of the fields in `date_fields`;
`date_letters` is the table of its letters. `number_pattern` formats numbers. `locales` has what Babel and
zoneinfo know of languages and time zones. `iso` and `decimals` have the one spelling in which dates and
numbers are stored, `regex` compiles patterns with RE2. A value that is not valid raises `InvalidValue`.

Imports `messages` only.
"""
