"""The rules of the product as pure functions and data: no I/O, and no clock.

Read in this order:

- `objects`: objects, versions, locks, and the effects of one atomic write
- `issues`: the issues that a service reports, and the exceptions that refuse a request
- `access`: what the grants of a profile allow
- `query`: filters, orders and pages as data, and their evaluation in memory
- `write`: from a client's command to the effects of a write; `write/plan.py` shows the phases
- `caller`, `attempts`: who sends a request, and what is counted because it is limited
- `files`: the rules for files and their uploads
- `attributes`: the types of attributes, and how to read their values
- `version_diff`: the difference between two versions of an object
- `store_mark`: which instance owns a store, and which layout the store has

The domain imports the model and the packages below it. `operations` and `store` import the domain.
"""
