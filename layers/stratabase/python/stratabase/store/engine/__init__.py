"""The storage port, and what works with any engine behind it.

An engine keeps items under keys and knows three calls: get, range and commit. The store is written against
this port alone; `store.sqlite` and `store.dynamodb` implement it.

Read in this order: port (items, expectations, batches, the three calls), expectations (whether they are
met), offloading (calls that do not block the local server), parallel (the same for many keys at a time, and
how round trips are counted), and read_limiter (what a request may read).

Imports the domain's refusals and read budget. Nothing of the store besides itself.
"""
