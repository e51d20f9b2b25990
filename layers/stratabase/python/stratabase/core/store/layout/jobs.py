"""The items of jobs, and their positions: each is in a partition of the listing index, in the order of `due`.

| queue | an item | its partition of the index |
|---|---|---|
| of a kind of job | a job, which has no other purpose | one of the shards of the kind |
| ledgers | a ledger of a large write (`ledgers`) | `P#` |
| file ledger | an entry (`file_entries`) | `F#` |

A ledger is in its partition without an instant until an attempt at its work fails. So it is due at once.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import NEVER, Job
from stratabase.core.store.engine.port import (
    Bounds,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
    Value,
)
from stratabase.core.store.layout import keys

DUE, ATTEMPTS = "due", "attempts"
"""The attributes of a job with the instant from which it may run, and with the number of its attempts."""
_COMMIT = "commit"
"""The attribute of a job with the ID of the commit that added or moved it last."""
_COMPARED = (DUE, _COMMIT)
_SHARDS = 8
"""The number of partitions for the jobs of a kind, since one partition bears 1,000 writes a second."""
_DIGITS = 15
UNDATED = Bounds(chr(ord("9") + 1))
"""The bounds of positions that begin with no digit."""


class QueueLayout(NamedTuple):
    """Where a queue has its items."""

    partitions: tuple[str, ...]
    """The partitions of the listing index."""
    key: Callable[[str], Key]
    """Returns the key of an item by the key of a job."""
    name: Callable[[Key], str]
    """The inverse of `key`."""
    is_dated: bool = True
    """Whether all positions begin with an instant."""

    def place(self, name: str, due: Instant) -> Mapping[str, IndexKey]:
        """Return the position of a job that is due at an instant."""
        base, shards = self.partitions[0].removesuffix("#0"), len(self.partitions)
        partition = keys.shard_of(base, shards, name)
        return {keys.LISTING: IndexKey(partition, f"{due:0{_DIGITS}d}#{name}")}


def kind_layout(kind: str) -> QueueLayout:
    """Return where the jobs of a kind are, by the name of the kind."""
    prefix = keys.jobs(kind)
    return QueueLayout(
        keys.shards_of(prefix, _SHARDS),
        lambda name: keys.job(kind, name),
        lambda key: key.partition.removeprefix(f"{prefix}#"),
    )


LEDGERS = QueueLayout((keys.PURGES,), keys.named_ledger, keys.ledger_name, is_dated=False)
FILE_LEDGER = QueueLayout((keys.FILE_ENTRIES,), keys.file_entry, keys.file_entry_id)


def due_bounds(now: Instant) -> Bounds:
    """Return the bounds of positions with an instant that has come at `now`."""
    return Bounds(None, f"{now + 1:0{_DIGITS}d}", high_included=False)


def later_bounds(after: Instant) -> Bounds:
    """Return the bounds of what is due after an instant, without what is set aside."""
    return Bounds(f"{after + 1:0{_DIGITS}d}", f"{NEVER}", high_included=False)


SET_ASIDE = Bounds(f"{NEVER}", UNDATED.low, high_included=False)
"""The bounds of what is set aside."""


def due_at(sort: str) -> Instant:
    """Return when an item is due, by its position."""
    digits = sort[:_DIGITS]
    return int(digits) if digits.isascii() and digits.isdecimal() else 0


def put_job(layout: QueueLayout, name: str, state: str, due: Instant, commit_id: str) -> Put:
    """Return the action that adds a job, or replaces the job with the same key.

    `commit_id`: the ID of the batch, which is unique.
    """
    attributes: dict[str, Value] = {DUE: due, ATTEMPTS: 0, _COMMIT: commit_id}
    return Put(Item(layout.key(name), attributes, state, layout.place(name, due)))


def move_job(layout: QueueLayout, job: Job[Any], due: Instant, attempts: int, commit_id: str) -> Patch:
    """Return the action that moves a job, if it is as it was when it was read."""
    return Patch(
        layout.key(job.key),
        _as_read(job),
        set={DUE: due, ATTEMPTS: attempts, _COMMIT: commit_id},
        places={**layout.place(job.key, due)},
    )


def finish_job(layout: QueueLayout, job: Job[Any]) -> DeleteItem:
    """Return the action that removes a job, if it is as it was when it was read."""
    return DeleteItem(layout.key(job.key), _as_read(job))


def compared(attributes: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return those attributes of a job of which one changes with each change of the job."""
    return {name: attributes[name] for name in _COMPARED if name in attributes}


def attempts_of(item: Item) -> int:
    """Return the number of attempts of a job."""
    attempts = item.attributes.get(ATTEMPTS)
    return attempts if isinstance(attempts, int) else 0


def due_of(item: Item) -> Instant:
    """Return when a job is due."""
    due = item.attributes.get(DUE)
    return due if isinstance(due, int) else 0


def _as_read(job: Job[Any]) -> Expectation:
    seen: Mapping[str, Value] = job.seen if isinstance(job.seen, Mapping) else {}
    return Expectation(
        exists=True,
        conditions=tuple(
            Condition(name, ConditionOperator.EQUALS, seen[name])
            if name in seen
            else Condition(name, ConditionOperator.ABSENT)
            for name in _COMPARED
        ),
    )
