"""The services of authentication: sign-in by password, tokens, and the keys that sign tokens."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from stratabase.core import waiting
from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.http.base.authentication import Authenticator
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.audit.audited_members import AuditedMembers
from stratabase.members.audit.recorder import AuditRecorder
from stratabase.members.audit_entry import AuditKind
from stratabase.members.operations.renamed_profiles import with_present_profiles
from stratabase.members.ports import AuditTrail, Keyring, Members, member_platform
from stratabase.members.settings import MemberSettings
from stratabase.members.sign_in.bearer import BearerAuthenticator
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.password_hashes import Argon2Passwords
from stratabase.members.sign_in.sign_in import BasicAuthenticator, SignIn
from stratabase.members.sign_in.signing_keys import RotateKeys, SigningKeyCache
from stratabase.members.sign_in.tokens import TokenIssuer, TokenTerms, TokenVerifier
from stratabase.members.stores.metered_members import MeteredMembers

if TYPE_CHECKING:
    from stratabase.core.store.sources import Sources
    from stratabase.members.sign_in.key_verifier import KeyVerifier
    from stratabase.members.sign_in.session_tokens import SessionTokens


class AuthServices:
    """The services that authenticate callers and issue tokens, of an app. Each is built on first use."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._settings = app.settings
        self._clock = app.clock
        self._ids = app.ids
        self.passwords = Argon2Passwords()

    @cached_property
    def members(self) -> Members:
        """The members of the app, with the profiles of its model. Changes are in the audit trail."""
        stored = member_platform(self._app.platform).members()
        return AuditedMembers(with_present_profiles(stored, self._app.model.profiles), self.audit)

    @cached_property
    def audit_trail(self) -> AuditTrail:
        """The audit trail of the app."""
        return member_platform(self._app.platform).audit_trail()

    @cached_property
    def audit(self) -> AuditRecorder:
        """What writes the audit trail."""
        days = self._settings.of(MemberSettings).audit_days
        return AuditRecorder(lambda: self.audit_trail, self._clock, self._app.log, days, self.terms.sessions)

    @cached_property
    def sign_in(self) -> SignIn:
        """The operation that authenticates a caller by username and password."""
        return SignIn(
            self.members,
            self._member_cache,
            self.passwords,
            self._app.model.profiles,
            self._clock,
            self._app.attempts,
            None if self._settings.function else waiting.pause,
            self.audit,
        )

    @cached_property
    def session_tokens(self) -> "SessionTokens":
        """The operation that begins and renews sessions."""
        from stratabase.members.sign_in.session_tokens import SessionTokens  # noqa: PLC0415 - few functions use it

        return SessionTokens(
            self.members,
            self._member_cache,
            self.callers,
            self.issuer,
            self._clock,
            self._ids,
            self.terms.sessions,
        )

    @cached_property
    def issuer(self) -> TokenIssuer:
        """The operation that issues tokens of sessions."""
        return TokenIssuer(self.keys, self._ids, self.terms)

    def check_keys(self) -> None:
        """Read the keys that sign tokens. Raises UnusableStore, Unavailable."""
        self._keyring.keys()

    @cached_property
    def rotate(self) -> RotateKeys:
        """The operation that rotates the keys that sign tokens."""
        return RotateKeys(self._keyring, self._clock, self._ids, self.terms.validity)

    @property
    def authenticators(self) -> Mapping[str, Authenticator]:
        """The authenticators by the name of their scheme."""
        tokens = TokenVerifier(self.keys, self._member_cache, self.callers, self._clock, self.terms.audience)
        bearer: dict[str, Authenticator] = {
            "Bearer": BearerAuthenticator(
                tokens.caller,
                self._app.token_issuers,
                lambda key, address: self._keys_of_members.caller(key, address),  # noqa: PLW0108 - built on first use
            )
        }
        return bearer | (
            {"Basic": BasicAuthenticator(self.sign_in, self.audit.note_basic)} if self._settings.basic else {}
        )

    @cached_property
    def _keys_of_members(self) -> "KeyVerifier":
        """What finds the caller with an API key, from the first key on."""
        from stratabase.members.sign_in.key_verifier import KeyVerifier  # noqa: PLC0415 - see the description

        return KeyVerifier(
            self._member_cache,
            self.callers,
            self._app.model.profiles,
            self._clock,
            self.audit.note_key_use,
            partial(self.audit.refuse, AuditKind.KEY_REFUSED),
        )

    @cached_property
    def callers(self) -> CallerFactory:
        """What makes callers of members who sent a token or a key, or have just signed in."""
        return CallerFactory(self._app.model.profiles)

    @cached_property
    def terms(self) -> TokenTerms:
        """The audience and the lifetimes of tokens and sessions."""
        settings = self._settings.of(MemberSettings)
        return TokenTerms(self._app.model.application, settings.token_minutes, settings.session_hours)

    @cached_property
    def _member_cache(self) -> MemberCache:
        return MemberCache(self.members, self._clock)

    @cached_property
    def _keyring(self) -> Keyring:
        return member_platform(self._app.platform).keyring()

    @cached_property
    def keys(self) -> SigningKeyCache:
        """The keys that sign tokens."""
        return SigningKeyCache(self._keyring, self._clock, self._ids, self.terms.validity)


def authenticators(app: App) -> Mapping[str, Authenticator]:
    """Return the authenticators of an app by the name of their scheme."""
    return app.part(AuthServices).authenticators


def sources_of_users(app: App) -> "Sources":
    """Return the source of the members as objects."""
    from stratabase.core.model.users import USER  # noqa: PLC0415 - only functions with objects need it
    from stratabase.members.operations.users import UserSource  # noqa: PLC0415

    return {USER: UserSource(lambda: MeteredMembers(app.part(AuthServices).members), app.model)}


def check_keys(app: App) -> Mapping[str, str]:
    """Return that the keys which sign tokens can't be read, if they are in a file and this is so.

    A secret of AWS is not read, because the function that reports the health may not do so.
    """
    if app.settings.signing_keys is not None:
        return {}
    try:
        app.part(AuthServices).check_keys()
    except (Unavailable, UnusableStore) as error:
        app.log.error("Signing keys not readable", error=error)  # noqa: TRY400 - not a standard logger
        return {"keys": "unreadable"}
    return {}
