"""The operations on members over in-memory members and fakes."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.member import Member, Roster
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.operations.members import CreateMember, ListMembers, ReadMember, RemoveMember
from stratabase.members.operations.update import UpdateMember
from stratabase.members.password import PasswordPolicy
from tests.fakes import CountedIds, FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_members import InMemoryMembers, PlainPasswords, PlainSignIn
from tests.recording_mailer import RecordingMailer

PROFILES = {
    "Boss": Profile("Boss", administrator=True),
    "Clerk": Profile("Clerk"),
    "Chief": Profile("Chief", administrator=True),
}
BOSS = Member("b", "Bea", "bea@example.com", "Boss", password="hash of whatever")
ANNA = Member("a", "Anna", "anna@example.com", "Clerk", "some notes", password="hash of old")
BEA = Caller("b", "Bea", "Boss", administrator=True, proof=SentPassword())
HERSELF = Caller("a", "Anna", "Clerk", proof=SentPassword())


class ContendedMembers(InMemoryMembers):
    """An in-memory store of members that calls `before_write` before each write."""

    def __init__(self, *members: Member) -> None:
        super().__init__(*members)
        self.before_write: Callable[[], None] = lambda: None
        self.writes = 0

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        self._come_between()
        super().add(member, is_moved=is_moved, audit=audit)

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        self._come_between()
        super().change(before, after, roster, audit=audit)

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        self._come_between()
        super().remove(member, roster, audit=audit)

    def _come_between(self) -> None:
        self.writes += 1
        self.before_write()


@dataclass
class MemberOperations:
    """The operations on members."""

    members: ContendedMembers = field(default_factory=lambda: ContendedMembers(BOSS, ANNA))
    passwords: PlainPasswords = field(default_factory=PlainPasswords)
    invited: list[tuple[str, str]] = field(default_factory=list)
    invite: Callable[[str, str], None] | None = None

    mails: RecordingMailer = field(default_factory=RecordingMailer)
    attempts: InMemoryAttempts = field(default_factory=InMemoryAttempts)
    clock: FrozenClock = field(default_factory=FrozenClock)
    logged: io.StringIO = field(default_factory=io.StringIO)
    requires_current_password: bool = True

    def __post_init__(self) -> None:
        log = Log("DEBUG", self.logged, service=f"office{uuid4()}")
        self.emails = EmailChange(
            self.members, self.mails, self.attempts, self.clock, log=log, application="Hr"
        )
        policy = PasswordPolicy(self.passwords.is_common)
        self.list = ListMembers(self.members)
        self.read = ReadMember(self.members, self.clock)
        self.sign_in = PlainSignIn(self.members, self.passwords)
        self.update = UpdateMember(
            self.members,
            self.passwords,
            policy,
            PROFILES,
            self.emails,
            self.sign_in,
            self.clock,
            requires_current_password=self.requires_current_password,
        )
        self.remove = RemoveMember(self.members, PROFILES)
        self._create = CreateMember(self.members, CountedIds(), PROFILES, self._invited)

    def create(self, caller: Caller, **arguments: Any) -> Member:
        return self._create(caller, arguments, "https://example.com")

    def stored(self, id_: str) -> Member:
        member = self.members.by_id(id_)
        assert member is not None
        return member

    def change(self, id_: str, **fields: Any) -> None:
        """Change a member concurrently, bypassing the operations."""
        before = self.stored(id_)
        InMemoryMembers.change(self.members, before, replace(before, **fields))

    def _invited(self, id_: str, base_url: str) -> None:
        if self.invite:
            self.invite(id_, base_url)
        assert self.members.by_id(id_), "nobody is invited who is not there"
        self.invited.append((id_, base_url))
