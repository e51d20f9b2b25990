"""Makes the entries of the audit trail for the present request, and writes those that belong to no commit.

What is in the commit of a change fails with it. The rest is best effort: if the store can't take it, the log
has a line, and the request goes on.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.store_mark import StoreRefused
from stratabase.core.observe import Log, causes
from stratabase.core.operations.ports import Clock
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.waiting import has_time
from stratabase.members.audit.actor import Actor, by, present_actor
from stratabase.members.audit.changes import reported_changes
from stratabase.members.audit_entry import DAY, HOUR, AuditEntry, AuditKind, hourly_entry
from stratabase.members.member import Member
from stratabase.members.ports import AuditTrail
from stratabase.members.request_source import RequestSource, request_source
from stratabase.members.sessions import SessionTerms

_MAX_NOTED = 10_000
STEPS_IN_REQUEST = 20
"""The steps of forgetting a member in the request that deletes the member."""


class AuditRecorder:
    """Records what happens. Each operation says in one line what it does."""

    def __init__(
        self, trail: Callable[[], AuditTrail], clock: Clock, log: Log, days: int, terms: SessionTerms
    ) -> None:
        """`trail` returns the store, which most processes never need. `days`: how long entries are kept.

        `terms` say which sessions have ended by themselves.
        """
        self._trail = trail
        self._clock = clock
        self._log = log
        self._kept = days * DAY
        self._terms = terms
        self._ids = TimeOrderedIds(clock.now)
        self._hour = 0
        self._noted: set[str] = set()
        """The members whose use of HTTP Basic this process has noted in this hour."""

    def changes(self, before: Member | None, after: Member | None) -> list[AuditEntry]:
        """Return the entries for a change of a member, for its commit. None: there is no such member."""
        member, now, actor = after or before, self._clock.now(), present_actor()
        assert member is not None, "a member exists before or after"
        return [
            self._complete(
                AuditEntry(self._ids.new(), now, each.kind, member.id, detail=each.detail),
                # A session begins in a request without a caller.
                Actor(member.id, each.session.way) if each.session else actor,
            )
            for each in reported_changes(before, after, now, self._terms)
        ]

    def refuse(self, kind: AuditKind, member: str = "") -> None:
        """Count a refusal in this hour. `member`: the ID of the member whose name was sent, if any.

        The name itself is not kept, because people type passwords into its field. Without a member, it is one
        call of the store as well. All names that no member has share one entry, so a flood of them fills no
        store.
        """
        self._count(self._hourly(kind, member))

    def note_basic(self, caller: Caller) -> None:
        """Record that a member used HTTP Basic. This process writes it once an hour."""
        hour = self._clock.now() // HOUR
        if hour != self._hour or len(self._noted) >= _MAX_NOTED:
            self._hour, self._noted = hour, set()
        if caller.id not in self._noted:
            self._noted.add(caller.id)
            self._count(self._complete(self._hourly(AuditKind.USED_BASIC, caller.id), by(caller)))

    def note_key_use(self, member: str, key: str, hour: Instant) -> None:
        """Record that a key of a member was used in the hour that begins at an instant."""
        self._try("last use of a key", lambda: self._trail().note_use(member, key, hour))

    def forget(self, member: str) -> None:
        """Begin to remove what identifies a deleted member. A job completes it (`AuditTrail.to_forget`)."""
        for _step in islice(self._steps(member), STEPS_IN_REQUEST):
            if not has_time():
                return

    def _steps(self, member: str) -> Iterator[None]:
        try:
            yield from self._trail().forget(member)
        except Unavailable as error:
            self._log.warning("Audit trail has not forgotten a member yet", member=member, reason=str(error))

    def _hourly(self, kind: AuditKind, member: str) -> AuditEntry:
        entry = hourly_entry(kind, self._clock.now(), member)
        return replace(entry, until=entry.at + HOUR + self._kept)

    def _complete(self, entry: AuditEntry, actor: Actor) -> AuditEntry:
        """Return an entry with the actor, the source of the present request, and its end."""
        source = request_source() if actor.id else RequestSource()
        until = entry.until or entry.at + self._kept
        return replace(
            entry, actor=actor.id, way=actor.way, address=source.address, device=source.device, until=until
        )

    def _count(self, entry: AuditEntry) -> None:
        self._try(entry.kind.value, lambda: self._trail().count(entry))

    def _try(self, what: str, write: Callable[[], None]) -> None:
        """Write, or log that it failed. Only a refused store ends the request: nothing else works, either."""
        try:
            write()
        except StoreRefused:
            raise
        except Unavailable as error:
            self._log.warning("Audit entry not written", entry=what, reason=str(error), causes=causes(error))
