"""Reads of objects by key, of their links and of their history; pages of a class are in the query package.

Read in this order: context (the engine, the model and what follows from both; reads by key), links (what a
role leads to, now or as of an instant), history (the versions of an object, and the one of an instant),
unique_lookup (the object that has unique values), unlisted_parts (parts that a count leaves out),
required_values (what objects lack of what a model requires).

Imports indexes, layout and engine. Writes, backfills and the repository import it.
"""
