"""Reading objects for a request: now, as of an instant, or as a pending write leaves them.

`Reader` is the only code that reads objects. Read in this order:

- `loading`: readings that wait for data, and what loads for many of them in one batch
- `as_of`: objects and links as of instants, in batches; `pending`: the effects of a write, as a layer
- `identity_map`: every object once, every link once, whatever anybody may see
- `formulas` and `derived_values`: derived attributes and expressions, over many objects at once
- `policy`: what a caller sees, by the grants of then and of now
- `reader`: all of that behind one door: objects, pages, derived values
- `related_views`, `associable_views`, `views`: objects with all that is selected of them, level by level
- `versions`, `version_page`, `version_diff`: the history of objects

The package imports the domain, the ports and the request context; writes and the API import it.
"""
