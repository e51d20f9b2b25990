"""The members with an audit trail: each change is reported in its own commit, whatever makes it."""

from collections.abc import Iterator, Sequence

from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.member import Member, Roster
from stratabase.members.ports import Members


class AuditedMembers:
    """Members whose changes have entries in the audit trail. Implements the port `Members`.

    The entries follow from the record before and after, and from who acts in the present request. So no
    operation can forget them.
    """

    def __init__(self, members: Members, recorder: AuditRecorder) -> None:
        self._members = members
        self._recorder = recorder

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id."""
        return self._members.by_id(id_)

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username."""
        return self._members.by_username(username)

    def by_email(self, email: str) -> Member | None:
        """Return the member with an e-mail address."""
        return self._members.by_email(email)

    def by_link(self, issuer: str, subject: str) -> Member | None:
        """Return the member who is linked to an account at an identity provider."""
        return self._members.by_link(issuer, subject)

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`, None for an id that no member has."""
        return self._members.by_ids(ids)

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members, in batches."""
        return self._members.batches()

    def roster(self) -> Roster:
        """Return all members."""
        return self._members.roster()

    def any(self) -> bool:
        """Return whether any member exists."""
        return self._members.any()

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        """Add a member, and report it. Raises NamesTaken, Conflict."""
        entries = [*self._recorder.changes(None, member), *audit]
        self._members.add(member, is_moved=is_moved, audit=entries)

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Replace `before` with `after`, and report what changed. Raises NamesTaken, Conflict."""
        entries = [*self._recorder.changes(before, after), *audit]
        self._members.change(before, after, roster, audit=entries)

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        """Remove a member, and report it. Then begin to forget the member. Raises Conflict."""
        entries = [*self._recorder.changes(member, None), *audit]
        self._members.remove(member, roster, audit=entries)
        self._recorder.forget(member.id)
