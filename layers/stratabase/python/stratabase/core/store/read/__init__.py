"""Reads of objects by key, of their links, and of their history. The query package reads pages of a class.

Read in this order:

1. context: the engine, the model and what the store derives from them; reads by key, and keeps what was read
   until something is written.
2. kept_counts: keeps the numbers of matches.
3. links: the ids that a role refers to, now or as of an instant; excludes parts from a count that no whole
   lists.
4. history: the versions of an object, in order or as of an instant.
5. past_ids: the ids of the objects of a class that may have existed at an instant.
6. unique_lookup: finds an object by its unique values.
7. required_values: counts objects that lack a required attribute or role.
8. unbuilt_roles: answers roles that are not built yet.
9. deleted_objects: the deleted objects of a class, by time.

Imports indexes, layout and engine. Writes, `evolution.backfill` and the repository import it.
"""
