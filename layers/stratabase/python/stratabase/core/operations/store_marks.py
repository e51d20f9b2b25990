"""Check, create and change the marks of the stores of an instance."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreMark, StoreRefused, StoreRequirements
from stratabase.values.messages import _

_MAX_ATTEMPTS = 5
"""How often a mark is written that another process changes at the same time."""


class MarkStore(Protocol):
    """A store with a mark. All methods raise Unavailable if the store cannot answer."""

    @property
    def content(self) -> Any:
        """The store itself, for conversions: an engine, a table or file of members, or a blob store."""

    def read_mark(self) -> StoreMark | None:
        """Return the mark, None if the store has none."""

    def is_new(self) -> bool:
        """Return whether the store has no content yet. Only used for stores without a mark."""

    def write_mark(self, mark: StoreMark, before: StoreMark | None) -> bool:
        """Write a mark if the current one is `before`. Return whether it was."""


class MarkedStore(NamedTuple):
    """A store of an instance, and what the settings require of its mark."""

    store: MarkStore
    required: StoreRequirements

    def new_mark(self, instance: str) -> StoreMark:
        """Return the first mark of the store. With content of an earlier version, it has layout 1."""
        newest = self.required.known.newest
        layout = newest if newest > 1 and self.store.is_new() else 1
        return StoreMark(self.required.kind, instance, self.required.place, layout, layout, layout)


def check_marks(stores: Sequence[MarkedStore]) -> str | None:
    """Return the ID of the instance to which all stores belong, None if no store has a mark.

    Without an ID in the settings, the first mark decides. Raises StoreRefused.
    """
    instance: str | None = None
    for store, required in stores:
        mark = store.read_mark()
        instance = required.instance or instance
        required._replace(instance=instance).check(mark)
        if instance is None and mark is not None:
            instance = mark.instance
    return instance


def mark_stores(stores: Sequence[MarkedStore]) -> str:
    """Check all stores, give those a mark that have none, and return the ID of the instance.

    The marks are written in the order of `stores`. If the process stops in between, the next call continues.
    Raises StoreRefused before it writes anything.
    """
    instance = check_marks(stores) or secrets.token_hex(8)
    for number, marked in enumerate(stores):
        for _attempt in range(_MAX_ATTEMPTS):
            found = marked.store.read_mark()
            if found is not None and not number and marked.required.instance is None:
                instance = found.instance  # another process was faster with the first mark
            marked.required._replace(instance=instance).check(found, writes=True)
            if found is not None or marked.store.write_mark(marked.new_mark(instance), None):
                break
        else:
            raise _contested()
    return instance


def describe_older_stores(stores: Sequence[MarkedStore]) -> Iterator[str]:
    """Yield what this version does with each store of an older one. Call it before `mark_stores`."""
    for store, required in stores:
        mark, newest = store.read_mark(), required.known.newest
        if mark is None:
            if not store.is_new():
                yield f"{required.label} is of a version that wrote no marks. It gets one, with layout 1."
        elif mark.layout < newest:
            yield (
                f"{required.label} has layout {mark.layout}. This version uses it as it is. When no older "
                f"version uses the store any more, raise it to layout {newest}: stratabase store upgrade"
            )


class Adoption(NamedTuple):
    """A store whose mark an adoption changes."""

    marked: MarkedStore
    before: StoreMark | None
    after: StoreMark

    def lines(self) -> Iterator[str]:
        """Yield what changes, for the operator."""
        before, after = self.before, self.after
        yield f"{self.marked.required.label}:"
        if before is None:
            yield f"  gets a mark of the instance {after.instance}, which it does not have yet"
            return
        if before.instance != after.instance:
            yield f"  belongs to the instance {before.instance}, and will belong to {after.instance}"
        if before.place != after.place:
            yield f"  is a copy of {before.place!r}, and will count as a store of its own"
        if before.replaced_by:
            yield f"  was replaced by {before.replaced_by!r}, and will be in use again"


def plan_adoption(stores: Sequence[MarkedStore], instance: str | None) -> list[Adoption]:
    """Return the stores whose marks must change so that all belong to one instance.

    `instance`: the ID of the instance. None: that of the first store with a mark. Raises StoreRefused for a
    store of another kind, or with a layout that this version does not know.
    """
    marks = [store.read_mark() for store, _required in stores]
    owner = instance or next((mark.instance for mark in marks if mark), None) or secrets.token_hex(8)
    planned = []
    for marked, mark in zip(stores, marks, strict=True):
        required = marked.required
        after = (
            marked.new_mark(owner)
            if mark is None
            else replace(mark, instance=owner, place=required.place, replaced_by="")
        )
        # What an adoption cannot change must be right: the kind of store and its layout.
        required._replace(instance=owner).check(after, writes=True)
        planned += [Adoption(marked, mark, after)] if after != mark else []
    return planned


def adopt_stores(planned: Sequence[Adoption]) -> None:
    """Write the marks of an adoption. A repeated call continues after a crash.

    Raises StoreRefused if a mark has changed since it was planned.
    """
    for (store, required), before, after in planned:
        if not store.write_mark(after, before) and store.read_mark() != after:
            raise StoreRefused(
                f"{required.label} was changed at the same time. Run `stratabase store show`, and try again."
            )


def retire_source(source: MarkStore, kept: StoreMark) -> bool:
    """Mark the store from which another one was restored as replaced. Return whether it had such a mark.

    `kept`: the mark of the store that replaces it. From then on, no process uses the source.
    """
    for _attempt in range(_MAX_ATTEMPTS):
        mark = source.read_mark()
        if mark is None or mark.instance != kept.instance or mark.kind is not kept.kind:
            return False
        if mark.replaced_by == kept.place or source.write_mark(replace(mark, replaced_by=kept.place), mark):
            return True
    raise _contested()


def _contested() -> Unavailable:
    return Unavailable(_("Concurrent changes to the store prevented this request. Try again."))
