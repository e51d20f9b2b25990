"""Raise the layout of a store, step by step, while services of two neighboring versions run.

`stratabase store upgrade` performs the steps in LAYOUT_STEPS. There is only one layout yet. To add another:

1. Make the code read both layouts, and write that of `StoreMark.written_layout`.
2. Add the step to LAYOUT_STEPS. `convert_items` (evolution/backfill/rewrite.py) converts items of objects.
3. Raise `KNOWN_LAYOUTS` in core/domain/store_mark.py. Keep the older layout for at least one release.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.core.domain.store_mark import StoreKind, StoreMark, StoreRefused
from stratabase.core.operations.store_marks import MarkedStore

ReportConverted = Callable[[int], None]
"""A function that takes the number of items that were converted since the last call."""


class LayoutStep(NamedTuple):
    """How a kind of store gets to a layout from the one before it."""

    kind: StoreKind
    layout: int
    least_reader: int
    """The lowest layout that a process must know to read the store from the beginning of the step."""
    convert: Callable[[Any, ReportConverted], None]
    """Converts the content, which is `MarkStore.content`. It must allow a repetition after a crash.

    Meanwhile, processes that know this layout write it already, and read both.
    """


LAYOUT_STEPS: tuple[LayoutStep, ...] = ()
"""The steps, in the order of the layouts of each kind of store."""


def missing_steps(marked: MarkedStore, steps: Sequence[LayoutStep]) -> list[LayoutStep]:
    """Return the steps that bring a store to the newest layout, none if it has that layout or no mark.

    Raises StoreRefused if this version does not know the layout of the store.
    """
    mark, required = marked.store.read_mark(), marked.required
    if mark is None:
        return []
    required._replace(instance=None, place=mark.place).check(mark, writes=True)
    by_layout = {step.layout: step for step in steps if step.kind is required.kind}
    return [by_layout[layout] for layout in range(mark.layout + 1, required.known.newest + 1)]


def upgrade_store(
    marked: MarkedStore, steps: Sequence[LayoutStep], settle: Callable[[], None], report: ReportConverted
) -> Iterator[int]:
    """Perform steps, and yield each layout that the store has got. A repeated call continues after a crash.

    `settle()` returns when all processes have noticed a changed mark and finished what they had begun to
    write. Raises StoreRefused if another process changes the mark, Unavailable.
    """
    for step in steps:
        # 1. From now on, processes that do not know the new layout write nothing, and others write it.
        mark = _read(marked)
        least_reader, least_writer = (
            max(mark.least_reader, step.least_reader),
            max(mark.least_writer, step.layout),
        )
        _write(marked, replace(mark, least_reader=least_reader, least_writer=least_writer), mark)
        settle()
        # 2. What processes wrote before is converted. Nothing of the former layout is added meanwhile.
        step.convert(marked.store.content, report)
        # 3. Processes need not read the former layout any more.
        mark = _read(marked)
        _write(marked, replace(mark, layout=step.layout), mark)
        yield step.layout


def _read(marked: MarkedStore) -> StoreMark:
    mark = marked.store.read_mark()
    if mark is None:
        raise StoreRefused(f"{marked.required.label} has lost its mark. Run `stratabase store adopt`.")
    return mark


def _write(marked: MarkedStore, mark: StoreMark, before: StoreMark) -> None:
    if mark != before and not marked.store.write_mark(mark, before):
        raise StoreRefused(
            f"{marked.required.label} was changed at the same time. Run `stratabase store upgrade` again."
        )
