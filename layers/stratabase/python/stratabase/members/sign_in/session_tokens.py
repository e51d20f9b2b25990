"""Begin a session with a sign-in, and renew it: each gives the next token of the session."""

from dataclasses import replace

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.credentials import PASSWORD_WAY, Session
from stratabase.members.member import Member
from stratabase.members.operations.fresh_sign_in import require_sign_in
from stratabase.members.operations.rules import retry_conflicts
from stratabase.members.ports import Members
from stratabase.members.sessions import (
    SessionTerms,
    can_renew,
    find_session,
    session_of_request,
    with_renewed_session,
    with_session,
)
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.tokens import IssuedToken, TokenIssuer
from stratabase.values.messages import _

SESSION_ENDED = _("The session has ended. Sign in again.")


class SessionTokens:
    """Begins sessions, and renews them. The member's record has the sessions, so each is a change of it."""

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        members: Members,
        member_cache: MemberCache,
        callers: CallerFactory,
        issuer: TokenIssuer,
        clock: Clock,
        ids: Ids,
        terms: SessionTerms,
    ) -> None:
        self._members = members
        self._member_cache = member_cache
        self._callers = callers
        self._issuer = issuer
        self._clock = clock
        self._ids = ids
        self._terms = terms

    def begin(self, caller: Caller) -> IssuedToken:
        """Begin a session of a caller whose password was just verified, and return its token.

        The request that is being answered tells the address and the device. Raises Unauthenticated if the
        password was changed since, or the member was disabled or deleted. Raises Forbidden if the model has
        no such profile, Unavailable.
        """
        id_ = self._ids.new()

        def begin() -> IssuedToken:
            now = self._clock.now()
            before = self._find(caller)
            session = session_of_request(id_, now, now, PASSWORD_WAY)
            return self._commit(before, with_session(before, session, now, self._terms), session, now)

        return retry_conflicts(begin)

    def renew(self, caller: Caller) -> IssuedToken:
        """Renew the session of a caller who sent a token, and return the next token.

        A token from before sessions begins one, which counts from the sign-in. Raises Unauthenticated,
        Forbidden, also for an API key and a token of another service, Unavailable.
        """
        proof = caller.proof
        if not isinstance(proof, SentToken) or not proof.session:
            # The sessions of programs, as which nobody signs in, are renewed, too.
            require_sign_in(caller)
        if not isinstance(proof, SentToken):
            raise Unauthenticated(
                _("To refresh a token, send it in the Authorization header with the Bearer scheme.")
            )
        signed_in, new_id = proof.signed_in or 0, self._ids.new()

        def renew() -> IssuedToken:
            now = self._clock.now()
            before = self._find(caller)
            if proof.session:
                session = find_session(before, proof.session)
                after = with_renewed_session(before, proof.session, now, self._terms)
            else:
                session = session_of_request(new_id, signed_in, now, PASSWORD_WAY)
                after = with_session(before, session, now, self._terms)
            if session is None:
                raise Unauthenticated(SESSION_ENDED)
            # The session keeps the time of the sign-in, so that renewing does not prolong it.
            if not can_renew(session, now, self._terms):
                raise Unauthenticated(_("The session has expired. Sign in again."))
            renewed = find_session(after, session.id)
            if renewed is None:
                raise Unauthenticated(SESSION_ENDED)
            return self._commit(before, after, renewed, now)

        return retry_conflicts(renew)

    def _find(self, caller: Caller) -> Member:
        """Return the member as stored now, who must still be the one who was authenticated."""
        member = self._members.by_id(caller.id)
        if member is None or member.disabled or member.generation != caller.generation:
            raise Unauthenticated(SESSION_ENDED)
        return member

    def _commit(self, before: Member, after: Member, session: Session, now: Instant) -> IssuedToken:
        """Store a member with a new or renewed session, and return its token. Raises Conflict."""
        self._callers(after)
        # First: without keys that sign, nothing must be stored.
        token = self._issuer.issue(after, session)
        self._members.change(before, after)
        # The token can be used at once in this process without another read.
        self._member_cache.remember(replace(after, revision=before.revision + 1), now)
        return token
