"""The registry of what is built for the classes: index slots, uniqueness constraints and required roles.

Read in this order: entries (what the registry lists), registry (all entries as a value, and the item that
keeps them), registry_cache (the registry as this process knows it, and what objects are written with because
of it).

Imports engine and layout. Reads, writes and backfills import it.
"""
