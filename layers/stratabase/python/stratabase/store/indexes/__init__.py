"""The registry of what is built for the classes: secondary indexes, uniqueness constraints, required roles.

Read in this order: entries (what the registry lists: index slots,
uniqueness constraints, required roles), registry (all entries as a value, and the item that keeps them),
registry_cache (the registry as this process knows it, and what objects are written with because of it).

Imports engine and layout. Queries, writes and backfills import it.
"""
