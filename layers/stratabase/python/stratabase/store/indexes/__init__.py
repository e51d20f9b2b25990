"""The secondary indexes of the classes, and the registry of what is built for them.

Read in this order: index_text (values as texts whose order is that of the values), access_path (an index of
a class: its columns, and where an object lies in it), entries (what the registry lists: index slots,
uniqueness constraints, required roles), registry (all entries as a value, and the item that keeps them),
registry_cache (the registry as this process knows it, and what objects are written with because of it).

Imports engine and layout. Queries, writes and backfills import it.
"""
