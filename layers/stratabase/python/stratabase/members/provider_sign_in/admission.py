"""Which member an account at a provider belongs to, and who becomes a member."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Profile
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.audit.actor import acting, by_provider
from stratabase.members.credentials import ProviderLink
from stratabase.members.fields import member_fields
from stratabase.members.member import LINK_FIELD, Member, MemberKind, NamesTaken
from stratabase.members.operations.fresh_sign_in import FRESHNESS
from stratabase.members.operations.rules import (
    check_administrator_remains,
    invalid_fields,
    normalized_fields,
    retry_conflicts,
    set_fields,
)
from stratabase.members.ports import Members
from stratabase.members.provider_links import with_link
from stratabase.members.providers.provider import Identity, Provider, find_claim
from stratabase.members.refusals import LastAdministrator
from stratabase.members.sessions import without_sessions
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import Message, _


class AdmissionReason(StrEnum):
    """Why an account at a provider does not lead to a member. The values are for logs."""

    UNKNOWN = "unknown"
    """No member is linked with the account, and the provider makes no members."""
    DISABLED = "disabled"
    PROFILE = "profile"
    """No profile belongs to the claims."""
    PROGRAM = "program"
    """The member is a program, which does not sign in with a browser."""
    LAST_ADMINISTRATOR = "last-administrator"
    """The claims would take the rights of the last administrator away."""
    USERNAME = "username"
    """The account has no name that can be a username."""
    EMAIL = "email"
    """The account has no verified email address."""
    TAKEN = "taken"
    """Another member has the username or the email address."""


_MEMBER = _("This account can't be used to sign in here. Contact an administrator of the service.")
_NEW_MEMBER: Mapping[AdmissionReason, Message] = {
    AdmissionReason.USERNAME: _(
        "Your account at the identity provider has no name that can be used as a username here. Contact an "
        "administrator of the service."
    ),
    AdmissionReason.EMAIL: _(
        "Your account at the identity provider has no verified email address. Verify your address there, or "
        "contact an administrator of the service."
    ),
    AdmissionReason.TAKEN: _(
        "You can't become a member with this account, because its name or its email address is taken. If you "
        "are a member already, sign in the way you did before, and link the account."
    ),
    AdmissionReason.LAST_ADMINISTRATOR: _(
        "The identity provider no longer makes you an administrator, but you are the only active one. Make "
        "another member an administrator first."
    ),
}
"""The messages for reasons that a person can do something about. All others get the same one."""


class NotAdmitted(Forbidden):
    """The provider has proved who it is, but this person can't sign in to the service."""

    def __init__(self, reason: AdmissionReason, member: str = "") -> None:
        """`member`: the ID of the member of the account, if there is one."""
        super().__init__(_NEW_MEMBER.get(reason, _MEMBER))
        self.reason = reason
        self.member = member

    def __str__(self) -> str:
        """Return the text for the log, which has the reason."""
        return f"{self.message} ({self.reason.value})"


MemberChange = Callable[[Member], Member]


class Admission:
    """Finds the member of an account by issuer and subject, or makes one. An email address never links."""

    def __init__(
        self,
        members: Members,
        profiles: Mapping[str, Profile],
        clock: Clock,
        ids: Ids,
        formats: Formats = DEFAULT_FORMATS,
    ) -> None:
        """Take the services. `formats`: those of new members."""
        self._members = members
        self._profiles = profiles
        self._clock = clock
        self._ids = ids
        self._formats = formats
        self._fields = member_fields(profiles, formats)

    def sign_in(self, provider: Provider, identity: Identity, change: MemberChange) -> Member:
        """Return the member of an account after a change, both in one commit.

        The profile follows from the claims. If no profile does, the sessions of the member end. Raises
        NotAdmitted, Unavailable.
        """
        with acting(by_provider(provider.name)):
            return retry_conflicts(lambda: self._sign_in(provider, identity, change))

    def exchange(self, provider: Provider, identity: Identity, change: MemberChange) -> Member:
        """Return the member or program of an account, for one of its access tokens, after a change.

        Nobody is made a member. Access tokens of many providers lack the claim that profiles depend on. Then
        the member keeps the profile of the last sign-in. Raises NotAdmitted, Unavailable.
        """
        with acting(by_provider(provider.name)):
            return retry_conflicts(lambda: self._exchange(provider, identity, change))

    def _sign_in(self, provider: Provider, identity: Identity, change: MemberChange) -> Member:
        before = self._members.by_link(identity.issuer, identity.subject)
        if before is None:
            return self._create(provider, identity, change)
        if before.kind is MemberKind.PROGRAM:
            raise NotAdmitted(AdmissionReason.PROGRAM, before.id)
        return self._change(before, provider, identity, change)

    def _exchange(self, provider: Provider, identity: Identity, change: MemberChange) -> Member:
        before = self._members.by_link(identity.issuer, identity.subject)
        if before is None:
            raise NotAdmitted(AdmissionReason.UNKNOWN)
        table = provider.profiles
        lacks_claim = table is not None and find_claim(identity.claims, table.claim) is None
        if before.kind is MemberKind.PROGRAM or lacks_claim:
            provider = replace(provider, profiles=None)
        return self._change(before, provider, identity, change)

    def _change(self, before: Member, provider: Provider, identity: Identity, change: MemberChange) -> Member:
        if before.disabled:
            raise NotAdmitted(AdmissionReason.DISABLED, before.id)
        profile = before.profile if provider.profiles is None else self._profile(provider, identity)
        if profile is None:
            self._end_sessions(before)
            raise NotAdmitted(AdmissionReason.PROFILE, before.id)
        after = change(replace(before, profile=profile))
        try:
            roster = check_administrator_remains(self._members, self._profiles, before, after)
        except LastAdministrator:
            self._end_sessions(before)
            raise NotAdmitted(AdmissionReason.LAST_ADMINISTRATOR, before.id) from None
        self._members.change(before, after, roster)
        return after

    def _end_sessions(self, before: Member) -> None:
        if before.sessions or before.codes:
            self._members.change(before, replace(without_sessions(before), codes=()))

    def _profile(self, provider: Provider, identity: Identity) -> str | None:
        """Return the profile that belongs to the claims, None if none does or the model does not have it."""
        profile = provider.profiles.profile_of(identity.claims) if provider.profiles else None
        return profile if profile in self._profiles else None

    def _create(self, provider: Provider, identity: Identity, change: MemberChange) -> Member:
        if not provider.creates_members:
            raise NotAdmitted(AdmissionReason.UNKNOWN)
        profile = self._profile(provider, identity)
        if profile is None:
            raise NotAdmitted(AdmissionReason.PROFILE)
        values = normalized_fields(
            {
                "username": provider.username_of(identity.claims),
                "email": _verified_email(provider, identity),
                "profile": profile,
            },
            self._fields,
        )
        for mistake in invalid_fields(values, self._fields):
            raise NotAdmitted(_REASON_OF_FIELD.get(mistake.field, AdmissionReason.PROFILE))
        link = ProviderLink(identity.issuer, identity.subject, provider.name, self._clock.now())
        empty = Member(self._ids.new(), "", "", "", formats=self._formats)
        member = change(with_link(set_fields(empty, values, self._fields), link))
        try:
            self._members.add(member)
        except NamesTaken as taken:
            if LINK_FIELD in taken.fields:
                # The same person signs in twice at the same time for the first time.
                raise Conflict from taken
            raise NotAdmitted(AdmissionReason.TAKEN) from None
        return member


_REASON_OF_FIELD = {"username": AdmissionReason.USERNAME, "email": AdmissionReason.EMAIL}
"""Why an account can't make a member, by the field whose value is not valid."""


def _verified_email(provider: Provider, identity: Identity) -> str | None:
    """Return the email address of an account if the provider has verified it, otherwise None."""
    email = find_claim(identity.claims, ("email",))
    verified = find_claim(identity.claims, ("email_verified",))
    # Some providers write the claim as a text.
    is_verified = provider.trusts_email or verified is True or verified == "true"
    return email if isinstance(email, str) and is_verified else None


def signed_in_at(identity: Identity, now: Instant, *, is_new: bool) -> Instant:
    """Return the instant from which a session counts as signed in.

    If the provider does not say when it has authenticated the person, that is now if the sign-in `is_new`.
    What is not a fresh sign-in counts as one that just isn't, because the session begins now.
    """
    stale = now - FRESHNESS - 1000
    if identity.authenticated is None:
        return now if is_new else stale
    return min(max(identity.authenticated * 1000, stale), now)
