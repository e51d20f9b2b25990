"""An in-memory store of members, and a fast password hasher."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import RLock

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.member import Member, NamesTaken, Roster, email_spellings, fold_name
from stratabase.members.provider_links import is_linked
from stratabase.values.messages import verbatim
from tests.in_memory_audit import InMemoryAuditTrail

BATCH_SIZE = 3
"""Members of a batch: few, so that small tests have several batches."""
COMMON = "commonpassword"
"""What everybody tries first."""


class InMemoryMembers:
    """An in-memory store of members by folded name that follows the port and counts reads."""

    def __init__(self, *members: Member) -> None:
        self.members = {fold_name(member.username): member for member in members}
        self.reads = 0
        self.trail = InMemoryAuditTrail()
        self._revision = 0
        self._lock = RLock()

    def by_id(self, id_: str) -> Member | None:
        with self._lock:
            self.reads += 1
            return self._by_id(id_)

    def by_username(self, username: str) -> Member | None:
        with self._lock:
            self.reads += 1
            return self.members.get(fold_name(username))

    def by_email(self, email: str) -> Member | None:
        with self._lock:
            self.reads += 1
            return next(
                (
                    member
                    for spelling in email_spellings(email)
                    for member in self.members.values()
                    if member.email and fold_name(member.email) == spelling
                ),
                None,
            )

    def by_link(self, issuer: str, subject: str) -> Member | None:
        with self._lock:
            self.reads += 1
            return next(
                (member for member in self.members.values() if is_linked(member, issuer, subject)), None
            )

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        with self._lock:
            self.reads += 1
            return [self._by_id(id_) for id_ in ids]

    def batches(self) -> Iterator[Sequence[Member]]:
        with self._lock:
            known = list(self.members.values())
        for start in range(0, len(known), BATCH_SIZE):
            self.reads += 1
            yield known[start : start + BATCH_SIZE]

    def roster(self) -> Roster:
        with self._lock:
            return Roster(tuple(self.members[name] for name in sorted(self.members)), self._revision)

    def any(self) -> bool:
        return bool(self.members)

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        with self._lock:
            if self._by_id(member.id):
                raise Conflict
            self._check_names(member, is_moved=is_moved)
            self.members[fold_name(member.username)] = replace(member, revision=1)
            self.trail.append(audit)

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        with self._lock:
            self._check_present(before, roster)
            self._check_names(after, before)
            self._take_away(before, roster)
            self.members[fold_name(after.username)] = replace(after, revision=before.revision + 1)
            self.trail.append(audit)

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        with self._lock:
            self._check_present(member, roster)
            self._take_away(member, roster)
            self.trail.append(audit)
            self.trail.removed[member.id] = max((entry.at for entry in audit), default=0)

    def _by_id(self, id_: str) -> Member | None:
        return next((member for member in self.members.values() if member.id == id_), None)

    def _check_present(self, before: Member, roster: Roster | None) -> None:
        stored = self._by_id(before.id)
        if stored is None or stored.revision != before.revision:
            raise Conflict
        if roster is not None and roster.revision != self._revision:
            raise Conflict

    def _check_names(self, member: Member, before: Member | None = None, *, is_moved: bool = False) -> None:
        others = [other for other in self.members.values() if other.id != member.id]
        taken = tuple(
            field
            for field in _taken(member, others, is_moved=is_moved)
            if before is None or field == "link" or getattr(before, field) != getattr(member, field)
        )
        if taken:
            raise NamesTaken(taken)

    def _take_away(self, member: Member, roster: Roster | None) -> None:
        self._revision += roster is not None
        stored = self._by_id(member.id)
        if stored is not None:
            del self.members[fold_name(stored.username)]


class PlainPasswords:
    """A password hasher that does not hash; it records verifications."""

    def __init__(self) -> None:
        self.verified: list[tuple[str | None, str]] = []

    def hash(self, password: str) -> str:
        return f"hash of {password}"

    def verify(self, hashed: str | None, password: str) -> bool:
        self.verified.append((hashed, password))
        return hashed == self.hash(password)

    def is_common(self, password: str) -> bool:
        return fold_name(password) == COMMON


class PlainSignIn:
    """Signs members in by their passwords, without limits. It records the addresses."""

    def __init__(self, members: InMemoryMembers, passwords: PlainPasswords) -> None:
        self._members = members
        self._passwords = passwords
        self.addresses: list[str] = []

    def __call__(self, username: str, password: str, address: str) -> Caller:
        self.addresses.append(address)
        member = self._members.by_username(username)
        if member is None or not self._passwords.verify(member.password, password):
            raise Unauthenticated(verbatim("The username or password is incorrect."))
        return Caller(member.id, member.username, member.profile, generation=member.generation)


def nobody_signs_in(username: str, password: str, address: str) -> Caller:
    """Sign in nobody: where no member changes their own password."""
    raise AssertionError("no password is verified here")


def _taken(member: Member, others: list[Member], *, is_moved: bool) -> Iterator[str]:
    spellings = email_spellings(member.email)
    if any(fold_name(other.username) == fold_name(member.username) for other in others):
        yield "username"
    if member.email and any(
        fold_name(other.email) in (spellings[:1] if is_moved else spellings) for other in others
    ):
        yield "email"
    if any(is_linked(other, link.issuer, link.subject) for other in others for link in member.links):
        yield "link"
