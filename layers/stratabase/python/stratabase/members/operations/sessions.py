"""List and end the sessions of members."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from stratabase.core.domain.caller import Caller
from stratabase.core.operations.ports import Clock
from stratabase.members.credentials import Session
from stratabase.members.member import Member
from stratabase.members.operations.fresh_sign_in import require_fresh_sign_in, require_sign_in
from stratabase.members.operations.rules import require_self_or_administrator, retry_conflicts
from stratabase.members.ports import Members
from stratabase.members.refusals import NoSuchMember, NoSuchSession
from stratabase.members.sessions import SessionTerms, find_session, living_sessions, without_sessions
from stratabase.values.messages import _

ONLY_ADMINISTRATORS_SEE = _("Only administrators can see and end sessions of other members.")


class ListSessions:
    """Lists the sessions of a member."""

    def __init__(self, members: Members, clock: Clock, terms: SessionTerms) -> None:
        self._members = members
        self._clock = clock
        self._terms = terms

    def __call__(self, caller: Caller, id_: str) -> Sequence[Session]:
        """Return the sessions of a member, the one that was renewed last first.

        Raises Forbidden, NoSuchMember, Unavailable.
        """
        require_sign_in(caller)
        require_self_or_administrator(caller, id_, ONLY_ADMINISTRATORS_SEE)
        member = self._members.by_id(id_)
        if member is None:
            raise NoSuchMember
        found = living_sessions(member, self._clock.now(), self._terms)
        return sorted(found, key=lambda session: (session.renewed, session.id), reverse=True)


class EndSessions:
    """Ends sessions of a member. Their tokens are refused within seconds (`callers.MEMBER_FRESHNESS`)."""

    def __init__(self, members: Members, clock: Clock, terms: SessionTerms) -> None:
        self._members = members
        self._clock = clock
        self._terms = terms

    def one(self, caller: Caller, id_: str, session: str) -> None:
        """End one session of a member, who can be the caller.

        Raises Forbidden, NoSuchMember, NoSuchSession, Unavailable. Raises StaleSignIn if an administrator who
        ends a session of another member has not signed in lately.
        """

        def without_one(member: Member) -> Member:
            living = living_sessions(member, self._clock.now(), self._terms)
            member = replace(member, sessions=living)
            if find_session(member, session) is None:
                raise NoSuchSession
            return without_sessions(member, [session])

        self._end(caller, id_, without_one)

    def all(self, caller: Caller, id_: str) -> None:
        """End all sessions of a member, also that of the caller. Tokens from before sessions end, too.

        Raises like `one`.
        """
        self._end(
            caller, id_, lambda member: replace(without_sessions(member), generation=member.generation + 1)
        )

    def _end(self, caller: Caller, id_: str, end: Callable[[Member], Member]) -> None:
        require_sign_in(caller)
        require_self_or_administrator(caller, id_, ONLY_ADMINISTRATORS_SEE)
        if caller.id != id_:
            require_fresh_sign_in(caller, self._clock)

        def change() -> None:
            before = self._members.by_id(id_)
            if before is None:
                raise NoSuchMember
            self._members.change(before, end(before))

        retry_conflicts(change)
