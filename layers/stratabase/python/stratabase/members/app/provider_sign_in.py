"""What signs members in with the identity providers of an app."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from stratabase.core import waiting
from stratabase.core.app.app import App
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.audit_entry import AuditKind
from stratabase.members.settings import MemberSettings
from stratabase.members.sign_in.sign_in_limits import FailureCount, FailureLimit
from stratabase.values.formats.preferences import FORMATS_BY_NAME

if TYPE_CHECKING:
    from stratabase.members.credentials import Session
    from stratabase.members.endpoints.sign_in_page import SignInWay
    from stratabase.members.member import Member
    from stratabase.members.provider_sign_in.admission import Admission
    from stratabase.members.provider_sign_in.attempt import AttemptCookies
    from stratabase.members.provider_sign_in.codes import LinkCodes
    from stratabase.members.provider_sign_in.exchange import TokenExchange
    from stratabase.members.provider_sign_in.flow import ProviderSignIn
    from stratabase.members.provider_sign_in.links import MemberLinks
    from stratabase.members.provider_sign_in.password import PasswordSignIn
    from stratabase.members.provider_sign_in.return_address import ReturnAddresses
    from stratabase.members.provider_sign_in.sealed import Seal
    from stratabase.members.providers.client import ProviderClient
    from stratabase.members.sign_in.tokens import IssuedToken


class ProviderSignInServices:
    """What signs members in with the identity providers of an app. First use imports and builds each part."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._auth = app.part(AuthServices)

    @property
    def _clients(self) -> "Mapping[str, ProviderClient]":
        from stratabase.members.app.provider_services import ProviderServices  # noqa: PLC0415 - see the class

        return self._app.part(ProviderServices).clients

    def ways(self) -> "Sequence[SignInWay]":
        """Return the ways to sign in: by password and with providers. Raises UnusableStore, Unavailable."""
        from stratabase.members.endpoints.sign_in_page import BY_PASSWORD, SignInWay  # noqa: PLC0415 - see the class
        from stratabase.members.provider_sign_in.flow import provider_path  # noqa: PLC0415
        from stratabase.values.messages import verbatim  # noqa: PLC0415

        def way(name: str, client: "ProviderClient") -> SignInWay:
            path = provider_path(name)
            return SignInWay(name, verbatim(client.provider.label), path, f"{path}/signOut")

        return (BY_PASSWORD, *(way(*each) for each in self._clients.items()))

    @cached_property
    def sign_in(self) -> "ProviderSignIn":
        """The operation that begins and ends sign-ins and linkings."""
        from stratabase.members.provider_sign_in.flow import ProviderSignIn  # noqa: PLC0415 - see the class

        app = self._app
        return ProviderSignIn(
            self._clients,
            self._admission,
            self._link_codes,
            self.return_addresses,
            FailureCount(app.attempts, app.clock),
            app.clock,
            log=app.log,
            note_refusal=self._note_refusal,
        )

    def sign_in_by_password(
        self, username: str, password: str, address: str, return_to: str, challenge: str
    ) -> str:
        """Return the address at which a sign-in by password ends. See `PasswordSignIn`."""
        return self._password_sign_in(username, password, address, return_to, challenge)

    @cached_property
    def _password_sign_in(self) -> "PasswordSignIn":
        from stratabase.members.provider_sign_in.password import PasswordSignIn  # noqa: PLC0415 - see the class

        return PasswordSignIn(self._auth.sign_in, self._auth.members, self._app.clock)

    def check_end(self, return_to: str, challenge: str, base_url: str) -> None:
        """Check where and for whom a sign-in ends. Raises BadReturnAddress, BadChallenge."""
        from stratabase.members.provider_sign_in.flow import check_end  # noqa: PLC0415 - see the class

        check_end(self.return_addresses, return_to, challenge, base_url)

    @cached_property
    def return_addresses(self) -> "ReturnAddresses":
        """The check of addresses to which a browser returns."""
        from stratabase.members.provider_sign_in.return_address import ReturnAddresses  # noqa: PLC0415 - see the class

        return ReturnAddresses(self._app.settings.allowed_origins)

    @cached_property
    def cookies(self) -> "AttemptCookies":
        """The cookies of attempts."""
        from stratabase.members.provider_sign_in.attempt import AttemptCookies  # noqa: PLC0415 - see the class

        return AttemptCookies(self._seal("attempt"))

    @cached_property
    def exchange(self) -> "TokenExchange":
        """The operation that exchanges codes and access tokens for tokens."""
        from stratabase.members.provider_sign_in.exchange import TokenExchange  # noqa: PLC0415 - see the class

        auth, app = self._auth, self._app
        return TokenExchange(
            auth.members,
            self._admission,
            self._find_client,
            self._issue,
            auth.terms.sessions,
            self._limit,
            app.clock,
            app.ids,
            self._note_refusal,
        )

    @cached_property
    def links(self) -> "MemberLinks":
        """The operations on links of members."""
        from stratabase.members.provider_sign_in.links import MemberLinks  # noqa: PLC0415 - see the class

        return MemberLinks(self._auth.members, self._link_codes, self._clients, self._app.clock)

    @cached_property
    def _admission(self) -> "Admission":
        from stratabase.members.provider_sign_in.admission import Admission  # noqa: PLC0415 - see the class

        app = self._app
        formats = FORMATS_BY_NAME[app.settings.of(MemberSettings).formats]
        return Admission(self._auth.members, app.model.profiles, app.clock, app.ids, formats)

    @cached_property
    def _link_codes(self) -> "LinkCodes":
        from stratabase.members.provider_sign_in.codes import LinkCodes  # noqa: PLC0415 - see the class

        return LinkCodes(self._seal("link code"))

    @cached_property
    def _limit(self) -> FailureLimit:
        pause = None if self._app.settings.function else waiting.pause
        return FailureLimit(self._app.attempts, self._app.clock, pause)

    def _issue(self, member: "Member", session: "Session") -> "IssuedToken":
        self._auth.callers(member)  # raises Forbidden if the model does not have the profile
        return self._auth.issuer.issue(member, session)

    def _note_refusal(self, member: str) -> None:
        self._auth.audit.refuse(AuditKind.SIGN_IN_REFUSED, member)

    def _find_client(self, issuer: str) -> "ProviderClient | None":
        return next((each for each in self._clients.values() if each.provider.issuer == issuer), None)

    def _seal(self, purpose: str) -> "Seal":
        from stratabase.members.provider_sign_in.sealed import Seal  # noqa: PLC0415 - see the class

        return Seal(self._auth.keys, purpose)
