"""Converts all items of a store to another layout, from a checkpoint on, while services run."""

from collections.abc import Callable

from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Engine, Key
from stratabase.evolution.backfill.rewrite import Checkpoint, ItemRewriter, PlanItem

_ITEMS_PER_CHECKPOINT = 2000


def convert_items(
    engine: Engine,
    layout: int,
    plan: PlanItem,
    report: Callable[[int], None],
    *,
    parallel_map: ParallelMap = sequential_map,
) -> None:
    """Commit what `plan` returns for each item of the store, which must be nothing for a converted item.

    The actions of a plan must expect the item as it was read (see `rewrite`). `report` takes the numbers of
    converted items. A call after a crash continues with the page in which the last one stopped. Raises
    Unavailable.
    """
    checkpoint = Checkpoint(engine, f"layout {layout}")
    rewriter = ItemRewriter(engine, plan, parallel_map, local=False, changed=lambda: None)
    position = checkpoint.load().get("after")
    unsaved = 0
    for page in engine.scan(None if position is None else Key(*position)):
        report(rewriter.rewrite(page))
        unsaved += len(page)
        if unsaved >= _ITEMS_PER_CHECKPOINT:
            checkpoint.save({"after": list(page[-1].key)})
            unsaved = 0
    checkpoint.clear()
