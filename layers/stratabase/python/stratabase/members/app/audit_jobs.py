"""The job that keeps the audit trail in order: deletes what is too old, and forgets deleted members."""

from collections.abc import Iterator, Sequence
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.jobs.job import EachRound, Job, JobKind
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.audit_entry import first_kept_id
from stratabase.members.settings import MemberSettings

FORGOTTEN_AFTER = 60_000
"""Milliseconds after the removal of a member until the audit trail has forgotten the member for good.

Until then, a process that has the member in its cache can still write an entry.
"""


def jobs_of_audit(app: App) -> Sequence[JobKind[Any]]:
    """Return the kind of job that keeps the audit trail in order, in each round."""

    def run(_job: Job[None]) -> Iterator[None]:
        trail, now = app.part(AuthServices).audit_trail, app.clock.now()
        yield from trail.prune(first_kept_id(now, app.settings.of(MemberSettings).audit_days))
        for member in trail.to_forget(now - FORGOTTEN_AFTER):
            yield from trail.forget(member)
            trail.forgotten(member)
            yield

    return (JobKind("audit trail", EachRound(), run, lease=None),)
