"""Exchange what proves a sign-in with a provider for a token of this service: a code, or an access token."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from stratabase.core.domain.attempts import attempt_key
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.attempts import network
from stratabase.members.audit.actor import acting, by_provider
from stratabase.members.credentials import Session
from stratabase.members.exchange_codes import with_used_code, without_code
from stratabase.members.member import Member
from stratabase.members.operations.rules import retry_conflicts
from stratabase.members.ports import Members
from stratabase.members.provider_sign_in.admission import Admission, NotAdmitted, signed_in_at
from stratabase.members.provider_sign_in.codes import UnusableCode, find_code, owner_of
from stratabase.members.providers.client import ProviderClient
from stratabase.members.request_source import request_source
from stratabase.members.sessions import SessionTerms, session_of_request, with_session, without_sessions
from stratabase.members.sign_in.json_web_tokens import claimed_issuer
from stratabase.members.sign_in.sign_in_limits import FailureLimit
from stratabase.members.sign_in.tokens import IssuedToken
from stratabase.values.messages import _


class UnusableAccessToken(Unauthenticated):
    """An access token of another service that proves no member. The reasons are not told apart."""

    def __init__(self, reason: Unauthenticated | NotAdmitted | None = None) -> None:
        """`reason`: what only the audit trail and the log say."""
        self.member = reason.member if isinstance(reason, NotAdmitted) else ""
        super().__init__(
            _(
                "The subject token is not valid here. It must be an access token of an identity provider of "
                "this service, for an account that a member is linked with."
            )
        )


class _Begun(NamedTuple):
    """A member with a new session, the ID of the session, and its token."""

    member: Member
    session: str
    token: IssuedToken


class TokenExchange:
    """Begins sessions. Failures count by network, as wrong passwords do.

    The request that is being answered tells the address and the device of a session.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        members: Members,
        admission: Admission,
        find_client: Callable[[str], ProviderClient | None],
        issue: Callable[[Member, Session], IssuedToken],
        terms: SessionTerms,
        limit: FailureLimit,
        clock: Clock,
        ids: Ids,
        note_refusal: Callable[[str], None],
    ) -> None:
        """`find_client` returns the client of the provider with an issuer, None if there is none.

        `issue` returns the token of a member's session. It raises Forbidden for a profile that the model does
        not have. `note_refusal` records that somebody was refused: the member with an ID, or "" for nobody
        known.
        """
        self._members = members
        self._admission = admission
        self._find_client = find_client
        self._issue = issue
        self._terms = terms
        self._limit = limit
        self._clock = clock
        self._ids = ids
        self._note_refusal = note_refusal

    def by_code(self, code: str, verifier: str) -> IssuedToken:
        """Return a token for a code. It works once, for the client that has the verifier of its challenge.

        A second use with the verifier ends the session that began with the first one (RFC 6749 section
        4.1.2), because one of the two clients can have stolen both. Raises UnusableCode, Forbidden,
        TooManyFailures, Unavailable.
        """
        with self._counted():
            return retry_conflicts(lambda: self._use_code(code, verifier))

    def by_access_token(self, token: str) -> IssuedToken:
        """Return a token for an access token of a provider.

        Raises UnusableAccessToken, Forbidden, TooManyFailures, Unavailable.
        """
        with self._counted():
            try:
                return self._use_access_token(token)
            except (Unauthenticated, NotAdmitted) as refusal:
                raise UnusableAccessToken(refusal) from refusal

    def _use_code(self, code: str, verifier: str) -> IssuedToken:
        now, owner = self._clock.now(), owner_of(code)
        before = self._members.by_id(owner) if owner is not None else None
        found = find_code(before, code, verifier, now) if before is not None else None
        if before is None or found is None or before.disabled:
            raise UnusableCode
        if found.session:
            self._members.change(before, without_sessions(without_code(before, found, now), [found.session]))
            raise UnusableCode
        begun = self._begin(before, found.way, found.since, now)
        # Of several uses at the same time, only one finds the member as it was read.
        self._members.change(before, with_used_code(begun.member, found, begun.session, now))
        return begun.token

    def _use_access_token(self, token: str) -> IssuedToken:
        client = self._find_client(claimed_issuer(token) or "")
        if client is None:
            raise UnusableAccessToken
        identity = client.access_identity(token)
        begun: list[_Begun] = []

        def with_new_session(member: Member) -> Member:
            now = self._clock.now()
            # Nobody has just signed in, unless the provider says so.
            since = signed_in_at(identity, now, is_new=False)
            begun.append(self._begin(member, client.provider.name, since, now))
            return begun[-1].member

        with acting(by_provider(client.provider.name)):
            self._admission.exchange(client.provider, identity, with_new_session)
        return begun[-1].token

    def _begin(self, member: Member, way: str, since: Instant, now: Instant) -> _Begun:
        """Return a member with a new session, and its token: without keys that sign, nothing is stored."""
        session = session_of_request(self._ids.new(), since, now, way)
        after = with_session(member, session, now, self._terms)
        return _Begun(after, session.id, self._issue(after, session))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        key = attempt_key("exchange", network(request_source().address))
        self._limit.check(key)
        try:
            with self._limit.attempt(key):
                yield
        except UnusableAccessToken as refusal:
            self._note_refusal(refusal.member)
            raise
        except UnusableCode:
            self._note_refusal("")
            raise
