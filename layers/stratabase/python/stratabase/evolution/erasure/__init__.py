"""Erasing of single objects: with their parts and versions, for good, whoever still knows their ids.

Read `erase` first, which has the steps. `begin` does the first two, and `complete` the rest. `parts_ever`
finds the parts that an object has or had. `erased_ids` keeps the list of erased ids, and `erased_list` has it
as text; an import and a restore apply it. `endpoint` and `evolution.commands.erase` are how administrators
and operators begin an erasure. A job finishes what was interrupted.

Imports `core`, and of `evolution` only `backfill`, whose `object_erasure` says what changes in each item.
"""
