"""The registry: the index slots, uniqueness constraints and required roles of all classes, and their states.

Read in this order:

1. entries: the three kinds of registry entries.
2. registry: all entries as an immutable value, and the item that stores it.
3. registry_cache: this process's copy of the registry, and what it means for writes.
4. role_changes: what another storage of a role means for its entries.
5. index_states: the states of what a model needs, for administrators.
6. listing: the objects of a class, for work that takes longer than a request.

Imports engine and layout. Reads, writes and backfills import it.
"""
