"""An in-memory audit trail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import RLock

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.members.audit_entry import MAX_PAGE, AuditEntry, AuditKind, AuditPage, without_person
from stratabase.values.messages import verbatim


class InMemoryAuditTrail:
    """An in-memory audit trail that follows the port. It can fail, and records its calls."""

    def __init__(self) -> None:
        self.entries: dict[str, AuditEntry] = {}
        self.removed: dict[str, Instant] = {}
        self.calls: list[str] = []
        self.is_down = False
        self._uses: dict[tuple[str, str], Instant] = {}
        self._lock = RLock()

    def kinds(self, member: str | None = None) -> list[AuditKind]:
        """Return the kinds of all entries, or of those about a member, oldest first."""
        entries = [self.entries[id_] for id_ in sorted(self.entries)]
        return [each.kind for each in entries if member is None or each.member == member]

    def only(self, kind: AuditKind) -> AuditEntry:
        """Return the only entry of a kind."""
        (entry,) = (each for each in self.entries.values() if each.kind is kind)
        return entry

    def append(self, entries: Sequence[AuditEntry]) -> None:
        with self._call("append"):
            for entry in entries:
                self.entries.setdefault(entry.id, entry)

    def count(self, entry: AuditEntry) -> None:
        with self._call("count"):
            before = self.entries.get(entry.id)
            self.entries[entry.id] = (
                entry if before is None else replace(before, count=before.count + entry.count)
            )

    def page(
        self, first: str, *, after: str | None = None, limit: int = MAX_PAGE, member: str | None = None
    ) -> AuditPage:
        with self._call("page"):
            found = [
                self.entries[id_]
                for id_ in sorted(self.entries, reverse=True)
                if first <= id_
                and (after is None or id_ < after)
                and member in (None, self.entries[id_].member)
            ]
        page = found[:limit]
        return AuditPage(page, page[-1].id if len(found) > limit else None)

    def forget(self, member: str) -> Iterator[None]:
        with self._call("forget"):
            for entry in self.entries.values():
                self.entries[entry.id] = without_person(entry, member)
            self._uses = {key: hour for key, hour in self._uses.items() if key[0] != member}
        yield

    def to_forget(self, removed_before: Instant) -> Sequence[str]:
        with self._call("to_forget"):
            return [member for member, removed in self.removed.items() if removed < removed_before]

    def forgotten(self, member: str) -> None:
        with self._call("forgotten"):
            self.removed.pop(member, None)

    def prune(self, first: str) -> Iterator[None]:
        with self._call("prune"):
            self.entries = {id_: entry for id_, entry in self.entries.items() if id_ >= first}
        yield

    def note_use(self, member: str, key: str, hour: Instant) -> None:
        with self._call("note_use"):
            self._uses[member, key] = max(hour, self._uses.get((member, key), 0))

    def uses(self, member: str) -> Mapping[str, Instant]:
        with self._call("uses"):
            return {key: hour for (owner, key), hour in self._uses.items() if owner == member}

    def _call(self, name: str) -> RLock:
        self.calls.append(name)
        if self.is_down:
            raise Unavailable(verbatim("The store is down."))
        return self._lock
