"""Read the audit trail."""

from collections.abc import Mapping
from typing import NamedTuple

from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.operations.ports import Clock
from stratabase.members.audit_entry import MAX_PAGE, AuditPage, first_kept_id
from stratabase.members.ports import AuditTrail, Members
from stratabase.values.messages import _

ONLY_ADMINISTRATORS_READ = _("Only administrators can read the audit trail.")


class ReadPage(NamedTuple):
    """A page of the audit trail, and the usernames of the members that it names, by their IDs.

    Deleted members have none.
    """

    page: AuditPage
    usernames: Mapping[str, str]


class ReadAuditTrail:
    """Returns pages of the audit trail, without what is older than some days by the clock."""

    def __init__(self, trail: AuditTrail, members: Members, clock: Clock, days: int) -> None:
        self._trail = trail
        self._members = members
        self._clock = clock
        self._days = days

    def __call__(
        self, caller: Caller, after: str | None = None, limit: int = MAX_PAGE, member: str | None = None
    ) -> ReadPage:
        """Return at most `limit` entries, newest first: those after the ID of one, or those about a member.

        Raises Forbidden, Unavailable.
        """
        require_administrator(caller, ONLY_ADMINISTRATORS_READ)
        first = first_kept_id(self._clock.now(), self._days)
        page = self._trail.page(first, after=after, limit=limit, member=member)
        named = {id_ for entry in page.entries for id_ in (entry.member, entry.actor) if id_}
        found = self._members.by_ids(sorted(named)) if named else ()
        return ReadPage(page, {each.id: each.username for each in found if each is not None})
