"""Backfills: builds what existing objects lack after the model or the service has changed.

A backfill runs while other processes read and write. You can stop it, restart it, and run it in several
processes at once.

Read in this order:

1. reindex: builds every registry entry that is not READY, class by class.
2. uniques: writes the missing guards of uniqueness constraints.
3. required_roles, moved_roles: write the missing links and counts of roles, and move associations.
4. deleted_objects: gives deleted objects their positions in the listings of their classes.
5. resharding: spreads a class over more partitions.
6. convert, drop (with dropped_name): change stored values to other types, and erase what a name has left.
   object_erasure: erase what others have of single objects, for `evolution.erasure`.
7. served_models, question_scan: the models that have served, and the answers to questions about objects.

They share class_heads, which reads the objects of a class, and rewrite, which changes items in place, also to
another layout. Imports
the model and the packages of the store. `evolution.commands`, `server` and `stratabase_aws` import it.
"""
