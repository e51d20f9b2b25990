"""What a client asks of stored objects, as data, and what can be computed of it in memory.

Read in this order:

- `filter` and `matching`: a filter, and the test of a state that it compiles to
- `order`: an order of objects, and positions in it; `cursor`: a position as an opaque text
- `page`: a query, its window and its page, and how a page is cut out of objects in memory
- `derived`: which parts of a query depend on derived attributes; `aggregate`: COUNT, SUM, MIN, MAX and AVG
- `fetch`: what is selected of objects: roles, derived attributes, locks
- `read_budget` and `consumption`: how much one request may read, and what the store was asked for it

The package imports the model and the domain's objects; stores and operations import it.
"""
