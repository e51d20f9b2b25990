"""How values are written: Java's patterns, ISO 8601, decimal numbers, regular expressions.

This package is a library that does not know the product. Read in this order:

- `preferences`: the formats of a member, and the checks of them
- `date_fields`, `date_letters`, `date_pattern`: the pieces of date patterns, the table of their letters, and
  formatting and parsing by a pattern
- `number_pattern`: formatting numbers by a pattern
- `locales`: languages and time zones, by Babel and zoneinfo
- `iso`, `decimals`: the spellings in which dates and numbers are stored; when a day begins and ends in a time
  zone
- `buckets`: the periods of dates and instants, such as months
- `regex`: regular expressions, compiled by RE2
- `invalid_value`: the exception for a value that is not valid, and how messages show such a value

Imports only `messages`.
"""
