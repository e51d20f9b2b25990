"""What knows nothing of the product: expressions, formats, messages, and single values.

`cel` parses and evaluates expressions, `formats` writes and reads dates and numbers, and `messages` has the
texts for users in all languages. `wording` makes lists and plurals, and suggests words. `folding` maps texts
to a form by which they are compared. `frozen`, `first_use` and `text_cache` have one class or function each.
Imports nothing else of Stratabase.
"""
