"""A job, its queue, and its kind."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from stratabase.core.domain.objects.instant import Instant
from stratabase.values.frozen import frozen

T = TypeVar("T")
NEVER: Instant = 999_999_999_999_999
"""The instant at which jobs are due that are set aside."""
PAUSES = tuple(
    seconds * 1000 for seconds in (15, 60, 300, 1800, 7200, 21_600, 43_200, 86_400, 86_400, 86_400)
)
"""The milliseconds after each failed attempt, until the next one: four days together."""
JOB_LEASE = 60_000
"""The milliseconds for which a job belongs to its runner. Each step of the job can extend them."""


class Job(NamedTuple, Generic[T]):
    """A job as its queue showed it."""

    key: str
    """Unique in its kind."""
    content: T
    """What the kind needs to know."""
    due: Instant = 0
    """The instant from which it may run. While a runner has it, this is the end of the lease."""
    attempts: int = 0
    """The number of attempts that have begun and count."""
    seen: object = None
    """What the queue compares, in order to notice that others have changed the job."""


class JobQueue(Protocol[T]):
    """The jobs of a kind. All methods raise Unavailable."""

    def due(self, now: Instant) -> Iterator[Job[T]]:
        """Yield what is due at an instant, the earliest first. An index may show an earlier state of it."""

    def read(self, key: str) -> Job[T] | None:
        """Return a job as it is now, None if it is done."""

    def move(self, job: Job[Any], due: Instant, attempts: int) -> Job[T] | None:
        """Set when a job is due, and its number of attempts; return it.

        Return None, and change nothing, if the job has changed since it was read, or is done.
        """

    def finish(self, job: Job[Any]) -> None:
        """Remove a job that is done, unless it was replaced by a new one with the same key."""

    def next_due(self, after: Instant) -> Instant | None:
        """Return when the first job is due that is due after an instant. None: there is none."""

    def set_aside(self) -> Iterator[Job[T]]:
        """Yield the jobs that are set aside."""


Steps = Generator[None, None, Instant | None] | Iterable[None]
"""The steps of a job. The runner can stop after each of them. They may return an instant: see `JobKind`."""


def _always() -> bool:
    return True


@frozen
class JobKind(Generic[T]):
    """A kind of job: a row in the table of the kinds."""

    name: str
    queue: JobQueue[T]
    run: Callable[[Job[T]], Steps]
    """Does a job in steps. Every step can be repeated, because a job can run again after any of them.

    If it returns an instant, the job is not done, and due again at this instant. The attempt doesn't count.
    """
    lease: int | None = JOB_LEASE
    """The milliseconds of a lease. None: without leases, because all steps are conditional writes.

    Then `run` itself removes what is done, and decides when the rest is due.
    """
    pauses: Sequence[int] = PAUSES
    """The milliseconds after each failed attempt. After one more, the job is set aside."""
    keeps: bool = True
    """Whether a job is set aside after its last attempt. Otherwise, it is removed."""
    counts_outages: bool = False
    """Whether an attempt that raises Unavailable counts as failed."""
    may_run: Callable[[], bool] = _always
    """Asked before each job. If it returns False, the round ends."""
    period: float = 300.0
    """The seconds after which a runner looks for jobs that other processes have added."""
    on_added: Callable[[Callable[[], None]], None] | None = None
    """Makes the writes of this process call a function from now on when they have added a job."""


class EachRound:
    """A queue with one job that is due in each round, for work that no write causes. It is never stored."""

    def due(self, now: Instant) -> Iterator[Job[None]]:
        """Yield the job."""
        yield Job("round", None, now)

    def read(self, key: str) -> Job[None] | None:
        """Return None: an attempt that failed is not kept, because the next round repeats it."""
        del key
        return None

    def move(self, job: Job[Any], due: Instant, attempts: int) -> Job[None] | None:
        """Change nothing, and return None."""
        del job, due, attempts
        return None

    def finish(self, job: Job[Any]) -> None:
        """Change nothing."""

    def next_due(self, after: Instant) -> Instant | None:
        """Return None: the period of the kind decides."""
        del after
        return None

    def set_aside(self) -> Iterator[Job[None]]:
        """Yield nothing."""
        return iter(())
