"""Writes: a change of the domain becomes one atomic batch of the engine, or several.

Read in this order: transaction (plans what a change does to each item, and learns from a refused attempt),
effects and heads (the head of an object), association_changes (links and counts), uniques (guards),
deletions (what ends with a deleted object), refusals (the table from an engine's refusals to the domain's),
commit (attempts a transaction until it is done or refused). staged_restoration and cleanup do in several
commits what does not fit in one. locking and serials stand on their own.

Imports read, indexes, layout and engine. Backfills and the repository import it.
"""
