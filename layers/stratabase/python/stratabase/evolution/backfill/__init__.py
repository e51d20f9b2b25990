"""Backfills: builds what existing objects lack after the model or the service has changed.

A backfill runs while other processes read and write. You can stop it, restart it, and run it in several
processes at once.

Read in this order:

1. reindex: builds every registry entry that is not READY, class by class.
2. uniques: writes the missing guards of uniqueness constraints.
3. required_roles: writes the missing links and counts of required roles.
4. member_names: adds member ids where older versions of the service stored only the names of members.

Imports write, indexes, layout and engine. Only the commands import it.
"""
