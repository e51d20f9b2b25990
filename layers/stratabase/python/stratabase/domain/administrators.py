"""Who can administrate, of whom there must always be one."""

from collections.abc import Mapping

from stratabase.domain.member import Member, Roster
from stratabase.model.model import Profile


def administrates(member: Member, profiles: Mapping[str, Profile]) -> bool:
    """Return whether a member may come in as an administrator; not when the model lacks its profile."""
    profile = profiles.get(member.profile)
    return not member.disabled and profile is not None and profile.administrator


def has_another(roster: Roster, member: Member, profiles: Mapping[str, Profile]) -> bool:
    """Return whether there is an administrator besides a member."""
    return any(other.id != member.id and administrates(other, profiles) for other in roster.members)
