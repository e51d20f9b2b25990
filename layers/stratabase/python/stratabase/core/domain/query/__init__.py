"""What a client requests of stored objects, as data, and its evaluation in memory.

Read in this order:

- `filter`, `matching`: filters, the IDs that they name, and the predicates that they compile to
- `order`, `cursor`: orders of objects and positions in them; a position as an opaque text
- `page`: a query, the window of the page that it requests, and the page of objects in memory; which of the
  objects of a role must be read for a page
- `derived`: which parts of a query depend on derived attributes
- `implied`: what filters and conditions imply, by which a store can find objects
- `aggregate`: COUNT, SUM, MIN, MAX and AVG
- `groups`: groups of objects, and the totals of each
- `fetch`: what a request selects of objects: roles, derived attributes, locks
- `read_budget`: how much one request may read, and what it has read
- `taken_plan`: the plan by which a query was answered

Imports the model and the domain's objects. Stores and operations import this package.
"""
