"""The write pipeline: load, plan, check grants and warnings, commit. Concurrent writes make it start again.

Read the files in this order:

- `services`: the operations on one object: save, delete, restore, preview, and validate
- `pipeline`: one write in rounds, with the steps of a round in order
- `load`: reads what a plan lacks, and makes readers of the states before and after the write
- `claims`: finds the objects whose blocking warnings the write may break
- `permissions`, `warnings`: evaluate conditions of grants and warnings
- `commit_or_explain`: commits the change, or explains why the store refuses it
- `options`: the options of a write, and its result
- `bulk`, `bulk_issues`: the same write for each object of a query, and the issues of all of them

The package imports `domain.write` and `operations.read`. `operations.locks` and `schema` import it.
"""
