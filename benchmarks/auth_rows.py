"""The CPU time of authenticating a request by password, token and key, for the first time and repeatedly."""

import base64
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import cache, partial
from itertools import repeat
from pathlib import Path

from benchmarks.table import Figure, print_table
from stratabase.core import waiting
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.messages import Request
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.core.operations.ports import Attempts
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase.core.waiting import SystemClock
from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.audit_entry import AuditKind
from stratabase.members.credentials import ApiKey
from stratabase.members.key_text import key_hash, new_key_text
from stratabase.members.keys.file import FileKeyring
from stratabase.members.member import Member
from stratabase.members.ports import AuditTrail, Members
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.key_verifier import KeyVerifier
from stratabase.members.sign_in.password_hashes import Argon2Passwords
from stratabase.members.sign_in.session_tokens import SessionTokens
from stratabase.members.sign_in.sign_in import BasicAuthenticator, SignIn
from stratabase.members.sign_in.signing_keys import SigningKeyCache
from stratabase.members.sign_in.tokens import TokenIssuer, TokenTerms, TokenVerifier
from stratabase.members.stores.sqlite_audit import SqliteAuditTrail
from stratabase.members.stores.sqlite_members import SqliteMembers

FIRST_REQUESTS, REPEATED_REQUESTS = 40, 20_000
"""The numbers of measured requests: the first requests of different members, and repeated requests of one."""
LIMIT = 0.05
"""The limit of a repeated request in milliseconds."""

PASSWORD = "correct horse battery staple"
PROFILES = {"Administrator": Profile("Administrator", administrator=True)}
TERMS = TokenTerms("Hr")


class AuthStack:
    """The real components of authentication with cold caches, as in a new process."""

    def __init__(self, folder: Path, members: Members, attempts: Attempts, trail: AuditTrail) -> None:
        clock, ids, callers = SystemClock(), TimeOrderedIds(), CallerFactory(PROFILES)
        member_cache = MemberCache(members, clock)
        keys = SigningKeyCache(FileKeyring(folder), clock, ids, TERMS.validity)
        audit = AuditRecorder(lambda: trail, clock, Log(), 90, TERMS.sessions)
        hashes = Argon2Passwords()
        sign_in = SignIn(members, member_cache, hashes, PROFILES, clock, attempts, waiting.pause, audit)
        tokens = TokenVerifier(keys, member_cache, callers, clock, TERMS.audience)
        refuse = partial(audit.refuse, AuditKind.KEY_REFUSED)
        api_keys = KeyVerifier(member_cache, callers, PROFILES, clock, audit.note_key_use, refuse)
        self._callers = callers
        issuer = TokenIssuer(keys, ids, TERMS)
        self._tokens = SessionTokens(members, member_cache, callers, issuer, clock, ids, TERMS.sessions)
        self.authentication = Authentication(
            {
                "Bearer": BearerAuthenticator(tokens.caller, {}, api_keys.caller),
                "Basic": BasicAuthenticator(sign_in, audit.note_basic),
            }
        )

    def cpu(self, requests: Iterable[Request]) -> float:
        """Authenticate the requests, and return the CPU milliseconds of one."""
        number = 0
        began = time.process_time()
        for number, request in enumerate(requests, 1):  # noqa: B007 - used after the loop
            self.authentication.caller(request)
        return (time.process_time() - began) / number * 1000

    def with_token(self, member: Member) -> Request:
        """Return a request of a member with a new token."""
        return _request(f"Bearer {self._tokens.begin(self._callers(member)).access_token}")


def main(folder: Path) -> None:
    """Measure in this process with the embedded stores."""
    with (
        closing(SqliteMembers(folder / "members.db")) as members,
        closing(SqliteAttempts(folder / "attempts.db")) as attempts,
    ):
        keys = [new_key_text(str(number)) for number in range(FIRST_REQUESTS + 1)]
        members_list = [new_member(str(number), key) for number, key in enumerate(keys)]
        for member in members_list:
            members.add(member)
        trail = SqliteAuditTrail(members.file)
        stacks = {name: AuthStack(folder, members, attempts, trail) for name in ("password", "token", "key")}
        requests = {
            "password": [with_password(member) for member in members_list],
            "token": [stacks["password"].with_token(member) for member in members_list],
            "key": [with_key(key) for key in keys],
        }
        figures = [
            figure for name, stack in stacks.items() for figure in _figures(name, stack, requests[name])
        ]
        print_table("CPU of authenticating a request", figures)


def _figures(name: str, stack: AuthStack, requests: Sequence[Request]) -> Iterator[Figure]:
    stack.cpu(requests[:1])  # loads the modules that are imported on first use
    yield Figure(f"{name}, first", stack.cpu(requests[1:]), "ms")
    yield Figure(f"{name}, repeated", stack.cpu(repeat(requests[0], REPEATED_REQUESTS)), "ms", LIMIT)


def new_member(id_: str, key: str) -> Member:
    """Return a member with the password PASSWORD and an API key."""
    api_key = ApiKey("key", "nightly", key_hash(key), 0)
    email = f"{id_}@example.com"
    return Member(id_, f"member{id_}", email, "Administrator", password=_hash(), keys=(api_key,))


@cache
def _hash() -> str:
    return Argon2Passwords().hash(PASSWORD)


def with_key(key: str) -> Request:
    """Return a request with an API key."""
    return _request(f"Bearer {key}")


def with_password(member: Member) -> Request:
    """Return a request of a member with the password."""
    encoded = base64.b64encode(f"{member.username}:{PASSWORD}".encode()).decode()
    return _request(f"Basic {encoded}")


def _request(authorization: str) -> Request:
    headers = {"authorization": (authorization,)}
    return Request("GET", "/auth/x", "/auth/x", headers=headers, source_address="192.0.2.7")
