"""Brings the stored objects up to the model, and says how far that is and what is left to the person.

`stratabase.store.backfill` does the work, a step at a time. Read `build` first: it builds the indexes, unique
constraints and required roles of a model before an embedded store serves it, and for `stratabase reindex`.
`owners` gives ids to the names of members that an older version wrote.

Imports `terminal`; `server` and the commands import it.
"""
