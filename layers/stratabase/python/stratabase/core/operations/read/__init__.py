"""Read objects: as they are now, as of an instant, or as a pending write leaves them.

All answers come from a `Reader`, which applies grants. Writes read what they need from the repository. Read
the files in this order:

- `batched_reads`: generators that yield what they need to load, and the batches that they share
- `as_of`, `pending`: objects and links as of an instant, and the effects of a write as a layer
- `identity_map`: all loaded objects and links, each once, and the roles that lead to them
- `formulas`, `derived_values`: derived attributes and expressions, computed for many objects at once
- `read_policy`: what grants let a caller see, now and in the past
- `reader`: all of these behind one interface: objects, pages, and derived values
- `labels`: the labels of objects, and of those that issues name
- `past_reader`: pages and unique values as of an instant
- `totals`: counts, sums and groups of all objects that match a page
- `related_views`, `views`: objects with all that is selected of them, level by level
- `versions`, `version_page`, `version_diff`: the history of objects
- `deleted_page`: the deleted objects of a class

The package imports the domain, the ports, and the request context. `operations.write`, `operations.locks` and
`schema` import it.
"""
