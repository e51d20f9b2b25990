"""The runner: leases what is due, does it in steps, and repeats what fails, or sets it aside."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import NEVER, Job, JobKind
from stratabase.core.observe import Log, causes

T = TypeVar("T")
OUTAGE_PAUSE = 15_000
"""The milliseconds until a job is due again that an outage has interrupted."""


class JobsFailed(Exception):
    """Jobs of a round have failed. The log has the reasons, and their queue has when they are due again."""


class Runner:
    """Runs the jobs of kinds. Any number of runners may run at the same time."""

    def __init__(self, now: Callable[[], Instant], log: Log) -> None:
        """`now`: returns the present instant."""
        self._now = now
        self._log = log

    def steps(self, kinds: Iterable[JobKind[Any]]) -> Generator[None, None, None]:
        """Run one round: all that is due of each kind. Yield after each step.

        Close the iterator to stop: a job that is running becomes due again. After an outage, the other kinds
        still run. Then raises Unavailable; or JobsFailed, if jobs have failed.
        """
        outage: Unavailable | None = None
        failed: dict[str, int] = {}
        for kind in kinds:
            failed[kind.name] = 0
            try:
                for is_failed in self._round(kind):
                    failed[kind.name] += is_failed
                    yield
            except Unavailable as error:
                outage = outage or error
        if outage is not None:
            raise outage
        if any(failed.values()):
            raise JobsFailed(", ".join(f"{name}: {number}" for name, number in failed.items() if number))

    def _round(self, kind: JobKind[T]) -> Iterator[bool]:
        """Run what is due of a kind. Yield after each step whether it is the failure of a job."""
        for listed in kind.queue.due(self._now()):
            if not kind.may_run():
                return
            job = listed if kind.lease is None else self._lease(kind, listed, kind.lease)
            if job is not None:
                yield from self._attempt(kind, job)

    def _lease(self, kind: JobKind[T], listed: Job[T], lease: int) -> Job[T] | None:
        """Return a job that is still due, on a lease. None if it is not due, or another runner has it."""
        job, now = kind.queue.read(listed.key), self._now()
        if job is None or job.due > now:
            return None
        if job.attempts > len(kind.pauses):
            self._give_up(kind, job, None)  # no attempt has failed, but each has ended the process
            return None
        return kind.queue.move(job, now + lease, job.attempts + 1)

    def _attempt(self, kind: JobKind[T], job: Job[T]) -> Iterator[bool]:
        """Run a job. Yield False after each step, and True if it fails."""
        later: Instant | None = None
        try:
            steps = iter(kind.run(job))
            while True:
                try:
                    next(steps)
                except StopIteration as end:
                    later = end.value
                    break
                extended = self._extended(kind, job)
                if extended is None:
                    return  # the lease has expired, and another runner has the job
                job = extended
                yield False
        except GeneratorExit:
            with suppress(Unavailable):  # the lease ends by itself
                self._put_back(kind, job, self._now())
            raise
        except Exception as error:
            if isinstance(error, Unavailable) and not kind.counts_outages:
                self._put_back(kind, job, self._now() + OUTAGE_PAUSE)
                raise
            self._fail(kind, job, error)
            yield True
            return
        if later is None:
            kind.queue.finish(job)
        else:
            self._put_back(kind, job, later)

    def _extended(self, kind: JobKind[T], job: Job[T]) -> Job[T] | None:
        """Return a running job, with a longer lease if the present one is half over."""
        now = self._now()
        if kind.lease is None or now < job.due - kind.lease // 2:
            return job
        return kind.queue.move(job, now + kind.lease, job.attempts)

    def _put_back(self, kind: JobKind[T], job: Job[T], due: Instant) -> None:
        """Make a job on a lease due at an instant. Its attempt does not count."""
        if kind.lease is not None:
            kind.queue.move(job, due, job.attempts - 1)

    def _fail(self, kind: JobKind[T], job: Job[T], error: Exception) -> None:
        """Postpone a job whose attempt has failed, or give it up."""
        if kind.lease is None:  # the attempt was not counted before
            present = kind.queue.read(job.key) or job
            job = present._replace(attempts=present.attempts + 1)
        if job.attempts > len(kind.pauses):
            self._give_up(kind, job, error)
            return
        kind.queue.move(job, self._now() + kind.pauses[job.attempts - 1], job.attempts)
        text, attempt = "Job failed, and is due again later", job.attempts
        if isinstance(error, Unavailable):
            reason = str(error)
            self._log.warning(
                text, job=kind.name, key=job.key, attempt=attempt, reason=reason, causes=causes(error)
            )
        else:
            self._log.error(text, job=kind.name, key=job.key, attempt=attempt, error=error)

    def _give_up(self, kind: JobKind[T], job: Job[T], error: Exception | None) -> None:
        """Set a job aside after its last attempt, or remove it."""
        if kind.keeps:
            kind.queue.move(job, NEVER, job.attempts)
        else:
            kind.queue.finish(job)
        text = "Job set aside" if kind.keeps else "Job given up"
        self._log.error(text, error=error, job=kind.name, key=job.key, attempt=job.attempts)


def run_again(kind: JobKind[Any], now: Instant) -> int:
    """Make the jobs of a kind that are set aside due now. Return how many there were. Raises Unavailable."""
    number = 0
    for listed in list(kind.queue.set_aside()):
        job = kind.queue.read(listed.key)
        if job is not None and job.due >= NEVER:
            number += kind.queue.move(job, now, 0) is not None
    return number


def count_set_aside(kinds: Iterable[JobKind[Any]]) -> int:
    """Return the number of jobs that are set aside. Raises Unavailable."""
    return sum(1 for kind in kinds for _ in kind.queue.set_aside())
