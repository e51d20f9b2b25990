"""The links of members to accounts at providers: list, make and remove them."""

from collections.abc import Mapping

from stratabase.core.domain.caller import Caller, SentToken, require_administrator
from stratabase.core.domain.issues.refusals import Conflicting, Forbidden, NotFound, Refusal
from stratabase.core.operations.ports import Clock
from stratabase.members.credentials import ProviderLink
from stratabase.members.member import Member, MemberKind, NamesTaken
from stratabase.members.operations.fresh_sign_in import require_fresh_sign_in, require_sign_in
from stratabase.members.operations.rules import require_self_or_administrator, retry_conflicts
from stratabase.members.ports import Members
from stratabase.members.provider_links import MAX_LINKS, TooManyLinks, with_link, without_links
from stratabase.members.provider_sign_in.codes import LinkCodes
from stratabase.members.provider_sign_in.flow import UnknownProvider
from stratabase.members.providers.client import ProviderClient
from stratabase.members.refusals import NoSuchMember
from stratabase.members.sessions import without_sessions
from stratabase.values.messages import _


class LinkTaken(Conflicting):
    """Another member is linked with the account."""

    def __init__(self) -> None:
        super().__init__(_("Another member is linked with this account."))


class LinkLimitReached(Conflicting):
    """The member has as many links as possible."""

    def __init__(self) -> None:
        super().__init__(_("A member can have at most {limit} links. Remove one first.", limit=MAX_LINKS))


class LastLink(Conflicting):
    """Without the link, the member could no longer sign in."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "This is your only way to sign in, because you have no password. Link another account first, "
                "or ask an administrator for a password."
            )
        )


class NoSuchLink(NotFound):
    """The member has no link with the provider."""

    def __init__(self) -> None:
        super().__init__(_("The member has no link with this identity provider."))


class MemberLinks:
    """Shows and changes links. Each takes the caller first."""

    def __init__(
        self, members: Members, link_codes: LinkCodes, clients: Mapping[str, ProviderClient], clock: Clock
    ) -> None:
        self._members = members
        self._link_codes = link_codes
        self._clients = clients
        self._clock = clock

    def list(self, caller: Caller, id_: str) -> tuple[ProviderLink, ...]:
        """Return the links of a member. Raises Forbidden, NoSuchMember, Unavailable."""
        require_sign_in(caller)
        require_self_or_administrator(caller, id_, _("Only administrators can see the links of others."))
        return self._member(id_).links

    def add(self, caller: Caller, id_: str, code: str, verifier: str) -> ProviderLink:
        """Link the caller with the account of a code with which a linking has ended, and return the link.

        Raises Forbidden, StaleSignIn, UnusableCode, LinkTaken, LinkLimitReached, Unavailable.
        """
        if caller.id != id_:
            raise Forbidden(_("Only members themselves can link their accounts at identity providers."))
        require_fresh_sign_in(caller, self._clock)
        link = self._link_codes.read(code, verifier, self._clock.now())
        return self._add(id_, link)

    def add_subject(self, caller: Caller, id_: str, provider: str, subject: str) -> ProviderLink:
        """Link a program with the subject of its access tokens, as an administrator, and return the link.

        Raises Forbidden, StaleSignIn, UnknownProvider, NoSuchMember, LinkTaken, LinkLimitReached,
        Unavailable.
        """
        require_administrator(caller, _("Only administrators can link programs."))
        require_fresh_sign_in(caller, self._clock)
        client = self._clients.get(provider)
        if client is None:
            raise UnknownProvider(provider)
        if self._member(id_).kind is not MemberKind.PROGRAM:
            raise Refusal(
                _("Only programs are linked by their subject. A person links an account by signing in.")
            )
        return self._add(id_, ProviderLink(client.provider.issuer, subject, provider, self._clock.now()))

    def remove(self, caller: Caller, id_: str, provider: str) -> None:
        """Remove the links of a member with a provider, and end the sessions that began with it.

        The session of the request goes on. Raises Forbidden, StaleSignIn, NoSuchMember, NoSuchLink, LastLink,
        Unavailable.
        """
        require_self_or_administrator(caller, id_, _("Only administrators can remove the links of others."))
        require_fresh_sign_in(caller, self._clock)
        retry_conflicts(lambda: self._remove(caller, id_, provider))

    def _add(self, id_: str, link: ProviderLink) -> ProviderLink:
        def add() -> None:
            before = self._member(id_)
            try:
                self._members.change(before, with_link(before, link))
            except NamesTaken:
                raise LinkTaken from None
            except TooManyLinks:
                raise LinkLimitReached from None

        retry_conflicts(add)
        return link

    def _remove(self, caller: Caller, id_: str, provider: str) -> None:
        before = self._member(id_)
        after = without_links(before, provider)
        if after == before:
            raise NoSuchLink
        is_person = before.kind is MemberKind.PERSON
        if caller.id == id_ and is_person and before.password is None and not after.links:
            raise LastLink
        own = caller.proof.session if isinstance(caller.proof, SentToken) else ""
        ended = {each.id for each in before.sessions if each.way == provider and each.id != own}
        self._members.change(before, without_sessions(after, ended))

    def _member(self, id_: str) -> Member:
        member = self._members.by_id(id_)
        if member is None:
            raise NoSuchMember
        return member
