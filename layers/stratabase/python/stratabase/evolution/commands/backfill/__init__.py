"""Updates of the stored objects after a change of the model, with reports of progress and remaining problems.

`stratabase.evolution.backfill` does the work step by step. Read `build` first: it builds the indexes, unique
constraints and required roles of a model before an embedded store serves it, and for `stratabase reindex`.
`convert` and `drop` are the commands of these names.

Imports `terminal`; `server` and the commands import it.
"""
