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

The operations are names of the package, such as `write.save`, and imported on first use.

The package imports `domain.write` and `operations.read`. `operations.locks` and `schema` import it.
"""

from typing import TYPE_CHECKING

from stratabase.values.first_use import on_first_use

if TYPE_CHECKING:
    from stratabase.core.operations.write.bulk import delete_bulk, update_bulk, validate_bulk
    from stratabase.core.operations.write.services import (
        delete,
        may_restore,
        preview,
        restore,
        save,
        validate,
    )

__all__ = [
    "delete",
    "delete_bulk",
    "may_restore",
    "preview",
    "restore",
    "save",
    "update_bulk",
    "validate",
    "validate_bulk",
]

__getattr__ = on_first_use(
    __name__, {name: "bulk" if name.endswith("_bulk") else "services" for name in __all__}
)
