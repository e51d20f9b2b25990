"""One administrator stays, whatever is done at the same time: a change that takes one away needs a roster."""

from collections.abc import Mapping

from stratabase.domain.administrators import administrates, has_another
from stratabase.domain.member import Member, Roster
from stratabase.domain.member_refusals import LastAdministrator
from stratabase.model.model import Profile
from stratabase.operations.ports import Members


def roster_for(
    members: Members, profiles: Mapping[str, Profile], before: Member, after: Member | None
) -> Roster | None:
    """Return the roster on whose strength a member may become another, or go; None when it needs none.

    Raises LastAdministrator. Committed with the roster, the change fails when another one ended it.
    """
    if not administrates(before, profiles) or (after and administrates(after, profiles)):
        return None
    roster = members.roster()
    if not has_another(roster, before, profiles):
        raise LastAdministrator(before.username)
    return roster
