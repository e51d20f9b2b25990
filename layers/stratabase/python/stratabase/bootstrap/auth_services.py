"""The services of authentication: sign-in by password, tokens, and the keys that sign tokens."""

from collections.abc import Callable, Mapping
from functools import cached_property

from stratabase.bootstrap.platform import MemberStores
from stratabase.core import waiting
from stratabase.core.http.base.authentication import Authentication, Authenticator
from stratabase.core.model.model import Model
from stratabase.core.operations.ports import Clock, Ids
from stratabase.core.settings import Settings
from stratabase.members.endpoints.authenticators import BasicAuthenticator, BearerAuthenticator
from stratabase.members.ports import Keyring, Passwords
from stratabase.members.sign_in.callers import CallerFactory, MemberCache
from stratabase.members.sign_in.sign_in import SignIn
from stratabase.members.sign_in.signing_keys import RotateKeys, SigningKeyCache
from stratabase.members.sign_in.tokens import TokenIssuer, TokenTerms, TokenVerifier


class AuthServices:
    """The services that authenticate callers and issue tokens. Each is built on first use."""

    def __init__(  # noqa: PLR0913, PLR0917 - its dependencies
        self,
        settings: Settings,
        model: Model,
        stores: Callable[[], MemberStores],
        keyring: Callable[[], Keyring],
        passwords: Passwords,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """Take what opens the stores of members, because the rotation of keys does not need them."""
        self._settings = settings
        self._model = model
        self._open_stores = stores
        self._open_keyring = keyring
        self._passwords = passwords
        self._clock = clock
        self._ids = ids
        self._terms = TokenTerms(model.application, settings.token_minutes, settings.session_hours)

    @cached_property
    def sign_in(self) -> SignIn:
        """The operation that authenticates a caller by username and password."""
        return SignIn(
            self._stores.members,
            self._member_cache,
            self._passwords,
            self._model.profiles,
            self._clock,
            self._stores.attempts,
            None if self._settings.function else waiting.pause,
        )

    @cached_property
    def issuer(self) -> TokenIssuer:
        """The operation that issues tokens."""
        return TokenIssuer(self._keys, self._clock, self._ids, self._terms)

    @cached_property
    def authentication(self) -> Authentication:
        """The authentication of requests by the Authorization header."""
        return Authentication(self._schemes)

    def check_keys(self) -> None:
        """Read the keys that sign tokens. Raises UnusableStore, Unavailable."""
        self._keyring.keys()

    @property
    def schemes(self) -> tuple[str, ...]:
        """The supported schemes of the Authorization header, in lower case."""
        return tuple(name.lower() for name in self._schemes)

    @cached_property
    def rotate(self) -> RotateKeys:
        """The operation that rotates the keys that sign tokens."""
        return RotateKeys(self._keyring, self._clock, self._ids, self._terms.validity)

    @cached_property
    def _schemes(self) -> Mapping[str, Authenticator]:
        callers = CallerFactory(self._model.profiles)
        tokens = TokenVerifier(self._keys, self._member_cache, callers, self._clock, self._terms.audience)
        bearer: dict[str, Authenticator] = {"Bearer": BearerAuthenticator(tokens.caller)}
        return bearer | ({"Basic": BasicAuthenticator(self.sign_in)} if self._settings.basic else {})

    @cached_property
    def _stores(self) -> MemberStores:
        return self._open_stores()

    @cached_property
    def _member_cache(self) -> MemberCache:
        return MemberCache(self._stores.members, self._clock)

    @cached_property
    def _keyring(self) -> Keyring:
        return self._open_keyring()

    @cached_property
    def _keys(self) -> SigningKeyCache:
        return SigningKeyCache(self._keyring, self._clock, self._ids, self._terms.validity)
