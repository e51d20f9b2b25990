"""Queues of jobs in an engine, in the batches of the writes that leave them. `layout/jobs` has the items."""

from collections.abc import Callable, Iterator
from heapq import merge
from itertools import chain
from typing import Any, Generic, TypeVar

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import Job
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    Action,
    Batch,
    Bounds,
    Engine,
    Item,
)
from stratabase.core.store.layout import jobs, keys
from stratabase.core.store.layout.jobs import QueueLayout

T = TypeVar("T")


class LedgerQueue(Generic[T]):
    """A queue of items whose format is older than jobs. Their kinds remove them. Implements `JobQueue`."""

    def __init__(self, engine: Engine, layout: QueueLayout, content: Callable[[Item], T]) -> None:
        """`content(item)`: returns what a job is about, from an item as the listing index shows it."""
        self._engine = engine
        self._layout = layout
        self._content = content

    def due(self, now: Instant) -> Iterator[Job[T]]:
        """Yield what is due at an instant."""
        if not self._layout.is_dated:
            # They have no order of their own. The last one comes first, as in earlier versions.
            yield from self._listed(jobs.UNDATED, backward=True)
        yield from self._listed(jobs.due_bounds(now))

    def read(self, key: str) -> Job[T] | None:
        """Return a job as it is now, None if it is done."""
        (item,) = self._engine.get([self._layout.key(key)])
        if item is None:
            return None
        due, attempts = jobs.due_of(item), jobs.attempts_of(item)
        return Job(key, self._content(item), due, attempts, jobs.compared(item.attributes))

    def move(self, job: Job[Any], due: Instant, attempts: int) -> Job[T] | None:
        """Set when a job is due, and its number of attempts. Return None if it has changed."""
        commit_id = new_commit_id("job")
        patch = jobs.move_job(self._layout, job, due, attempts, commit_id)
        if not is_committed(self._engine, Batch(commit_id, (patch,))):
            return None
        return job._replace(due=due, attempts=attempts, seen=jobs.compared(patch.set))

    def finish(self, job: Job[Any]) -> None:
        """Do nothing: the kind has removed the item, on conditions of its own."""

    def next_due(self, after: Instant) -> Instant | None:
        """Return when the first job is due that is due after an instant."""
        first = self._listed(jobs.later_bounds(after), limit=1)
        return min((job.due for job in first), default=None)

    def set_aside(self) -> Iterator[Job[T]]:
        """Yield the jobs that are set aside."""
        return self._listed(jobs.SET_ASIDE)

    def _listed(
        self, bounds: Bounds, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Job[T]]:
        """Yield the jobs in a range of all partitions, the earliest first. `limit`: in each partition."""
        shards = (
            map(self._job, chain.from_iterable(pages))
            for pages in (
                self._engine.range(keys.LISTING, shard, bounds, backward=backward, limit=limit)
                for shard in self._layout.partitions
            )
        )
        return merge(*shards, key=lambda job: job.due)

    def _job(self, item: Item) -> Job[T]:
        due = jobs.due_at(item.sort_in(keys.LISTING))
        return Job(self._layout.name(item.key), self._content(item), due)


class EngineQueue(LedgerQueue[str]):
    """The queue of a kind of job, whose content is a text. Implements `JobQueue`."""

    def __init__(self, engine: Engine, kind: str) -> None:
        super().__init__(engine, jobs.kind_layout(kind), lambda item: item.state or "")
        self._announce: Callable[[], None] | None = None

    def on_added(self, announce: Callable[[], None]) -> None:
        """Make `announce` call a function from now on. See `JobKind.on_added`."""
        self._announce = announce

    def announce(self) -> None:
        """Say that a batch with a job is committed, so that the server of this process runs it at once."""
        if self._announce is not None:
            self._announce()

    def put(self, key: str, content: str, due: Instant, commit_id: str) -> Action:
        """Return the action that adds a job, for the batch with this ID. Call `announce` after its commit.

        It replaces a job with the same key, also one that is running. The new one runs afterwards.
        """
        return jobs.put_job(self._layout, key, content, due, commit_id)

    def add(self, key: str, content: str, due: Instant) -> None:
        """Add a job in a batch of its own. Raises Unavailable."""
        commit_id = new_commit_id("job")
        self._engine.commit(Batch(commit_id, (self.put(key, content, due, commit_id),)))
        self.announce()

    def finish(self, job: Job[Any]) -> None:
        """Remove a job that is done, unless it has changed since."""
        is_committed(self._engine, Batch(new_commit_id("job"), (jobs.finish_job(self._layout, job),)))
