"""What knows nothing of the product: expressions, formats, messages, and single values.

`cel` parses and evaluates expressions, `formats` writes and reads dates and numbers, and `messages` has the
texts for users in all languages. Imports nothing else of Stratabase.
"""
