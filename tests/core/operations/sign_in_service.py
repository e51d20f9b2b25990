"""A sign-in service over in-memory members and attempts, with a clock that pauses advance."""

from dataclasses import dataclass, field
from io import StringIO

from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.member import Member
from stratabase.members.sign_in.callers import MemberCache
from stratabase.members.sign_in.sign_in import SignIn
from stratabase.members.sign_in.tokens import TokenTerms
from stratabase.values.formats.preferences import Formats
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_members import InMemoryMembers, PlainPasswords

GERMAN = Formats("dd.MM.yyyy", "HH:mm", "Europe/Berlin", "de")
ANNA = Member(
    "1", "Anna", "anna@example.com", "Boss", "drinks tea", GERMAN, password="hash of right", generation=4
)
BERT = Member("2", "Bert", "bert@example.com", "Clerk", password="hash of other")
PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}

HOME = "192.0.2.7"
ELSEWHERE = "198.51.100.9"
SPACING = 3_000
"""Milliseconds between failures."""


@dataclass
class SignInService:
    """A process in which members sign in."""

    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(ANNA, BERT))
    passwords: PlainPasswords = field(default_factory=PlainPasswords)
    clock: FrozenClock = field(default_factory=FrozenClock)
    attempts: InMemoryAttempts = field(default_factory=InMemoryAttempts)
    pauses: list[float] = field(default_factory=list)
    may_wait: bool = True

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Replace the process by a new one with empty caches."""
        known = MemberCache(self.members, self.clock)
        pause = self.pause if self.may_wait else None
        log, terms = Log(stream=StringIO()), TokenTerms("Hr").sessions
        audit = AuditRecorder(lambda: self.members.trail, self.clock, log, 90, terms)
        self.sign_in = SignIn(
            self.members,
            known,
            self.passwords,
            PROFILES,
            self.clock,
            self.attempts,
            pause,
            audit,
        )

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.instant += round(seconds * 1000)

    def admits(self, username: str, password: str, address: str = HOME) -> bool:
        """Return whether credentials are accepted. Raises any other refusal."""
        try:
            self.sign_in(username, password, address)
        except Unauthenticated:
            return False
        return True

    def fail(self, times: int, username: str = "Anna", address: str = HOME, spacing: int = SPACING) -> None:
        """Sign in several times with a wrong password, with a spacing in milliseconds."""
        for _ in range(times):
            assert not self.admits(username, "wrong", address)
            self.clock.instant += spacing

    def change(self, member: Member) -> None:
        self.members.members["anna"] = member
