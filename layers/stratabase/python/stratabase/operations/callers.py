"""Who a member is to a request: the member with what the model says of its profile."""

from collections.abc import Mapping

from stratabase.domain.member import Caller, Member
from stratabase.domain.objects.instant import Instant
from stratabase.domain.refusal import Forbidden
from stratabase.model.model import Profile


class Callers:
    """Makes callers of members."""

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        self._profiles = profiles

    def __call__(self, member: Member, signed_in: Instant | None = None) -> Caller:
        """Return the caller that a member is. Raises Forbidden."""
        profile = self._profiles.get(member.profile)
        if profile is None:
            raise Forbidden(
                f'Member "{member.username}" has the profile "{member.profile}", which the model does not '
                f"have; its profiles are {', '.join(self._profiles)}."
            )
        return Caller(
            member.id,
            member.username,
            profile.name,
            profile.administrator,
            member.formats,
            signed_in,
            member.generation,
            member.email,
            member.notes,
        )
