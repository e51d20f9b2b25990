"""The kinds of job that writes of objects leave. Only what runs jobs imports this module."""

from collections.abc import Iterator

from stratabase.core.jobs.job import EachRound, Job, JobKind
from stratabase.core.store.engine.port import Key
from stratabase.core.store.layout.jobs import LEDGERS
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write import idempotency
from stratabase.core.store.write.cleanup import Cleanup, Purger
from stratabase.core.store.write.job_queue import LedgerQueue


def cleanup_jobs(store: StoreContext, purger: Purger, cleanup: Cleanup) -> tuple[JobKind[None], JobKind[Key]]:
    """Return the kinds of job that remove expired idempotency records, and do the work of ledgers."""

    def remove_expired(_job: Job[None]) -> Iterator[None]:
        return idempotency.remove_expired(store.engine, store.now())

    def clean_up(job: Job[Key]) -> Iterator[None]:
        return purger.steps([job.content])

    ledgers_ = LedgerQueue(store.engine, LEDGERS, lambda item: item.key)
    return (
        JobKind("expired records", EachRound(), remove_expired, lease=None),
        JobKind("cleanup", ledgers_, clean_up, lease=None, on_added=cleanup.on_left),
    )
