"""A process that issues and verifies tokens, with in-memory members and keys and a settable clock."""

from dataclasses import dataclass, field, replace

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.model.model import Profile
from stratabase.members.member import Member
from stratabase.members.ports import Keyring
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.session_tokens import SessionTokens
from stratabase.members.sign_in.signing_keys import SigningKeyCache
from stratabase.members.sign_in.tokens import TokenIssuer, TokenTerms, TokenVerifier
from tests.fakes import CountedIds, FrozenClock
from tests.in_memory_keyring import InMemoryKeyring, key
from tests.in_memory_members import InMemoryMembers

ANNA = Member("1", "Anna", "anna@example.com", "Boss", generation=4)
BERT = Member("2", "Bert", "bert@example.com", "Clerk")
PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}
FIRST = key("first")
TERMS = TokenTerms("Hr")


@dataclass
class TokenProcess:
    """One process that issues and verifies tokens."""

    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(ANNA, BERT))
    keyring: Keyring = field(default_factory=lambda: InMemoryKeyring(FIRST))
    clock: FrozenClock = field(default_factory=FrozenClock)
    ids: CountedIds = field(default_factory=CountedIds)
    terms: TokenTerms = TERMS

    def __post_init__(self) -> None:
        keys = SigningKeyCache(self.keyring, self.clock, self.ids, self.terms.validity)
        known = MemberCache(self.members, self.clock)
        self.callers = CallerFactory(PROFILES)
        self.session_tokens = SessionTokens(
            self.members,
            known,
            self.callers,
            TokenIssuer(keys, self.ids, self.terms),
            self.clock,
            self.ids,
            self.terms.sessions,
        )
        self.tokens = TokenVerifier(keys, known, self.callers, self.clock, self.terms.audience)

    @property
    def now(self) -> int:
        """The time in seconds."""
        return self.clock.instant // 1000

    def another(self) -> "TokenProcess":
        """Return another process with the same stores and its own caches."""
        return replace(self)

    def token(self, member: Member = ANNA) -> str:
        """Return a token that has just been issued to a member."""
        return self.session_tokens.begin(self.callers(member)).access_token

    def renewed(self, token: str) -> str:
        """Return the next token of the session of a token."""
        return self.session_tokens.renew(self.caller(token)).access_token

    def stored(self, id_: str = ANNA.id) -> Member:
        """Return a member as it is stored."""
        member = self.members.by_id(id_)
        assert member is not None
        return member

    def caller(self, token: str) -> Caller:
        return self.tokens.caller(token)

    def admits(self, token: str) -> bool:
        """Return whether a token is accepted."""
        try:
            self.tokens.caller(token)
        except Unauthenticated:
            return False
        return True

    def wait(self, seconds: float) -> None:
        self.clock.instant += round(seconds * 1000)

    def change(self, member: Member) -> None:
        """Replace the stored member that has the same ID. Another generation ends the sessions."""
        stored = self.stored(member.id)
        sessions = stored.sessions if member.generation == stored.generation else ()
        self.members.change(stored, replace(member, sessions=sessions))
