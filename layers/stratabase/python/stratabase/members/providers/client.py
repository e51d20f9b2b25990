"""The client of one identity provider: the facade for the operations that sign members in."""

from stratabase.core.operations.ports import Clock
from stratabase.members.providers.provider import Identity, Provider


class ProviderClient:
    """Signs people in with one provider. Its methods can be called from several threads.

    It keeps the metadata and the keys of the provider between requests.
    """

    def __init__(self, provider: Provider, clock: Clock) -> None:
        self.provider = provider
        self._clock = clock

    def authorization_url(
        self, redirect_uri: str, state: str, nonce: str, challenge: str, *, max_age: int | None = None
    ) -> str:
        """Return the address of the provider to which the browser of a person goes to sign in.

        `challenge`: the base64url form of the SHA-256 of the verifier (PKCE). `max_age`: the seconds after
        which a person must sign in to the provider again. Raises ProviderUnavailable.
        """
        raise NotImplementedError

    def identity(  # noqa: PLR0913 - what the browser brings back, and what the attempt has kept
        self,
        code: str,
        verifier: str,
        redirect_uri: str,
        nonce: str,
        iss: str | None,
        *,
        max_age: int | None = None,
    ) -> Identity:
        """Return who has signed in, for the code that the browser has brought back.

        `iss`: the parameter of that name in the answer, None if it has none. `redirect_uri`, `nonce` and
        `max_age`: what `authorization_url` was given. Raises SignInRefused, ProviderUnavailable.
        """
        raise NotImplementedError

    def access_identity(self, token: str) -> Identity:
        """Return the subject of an access token of the provider that is meant for this service.

        Raises SignInRefused, also if the provider's access tokens are not accepted, or ProviderUnavailable.
        """
        raise NotImplementedError

    def end_session_url(self, return_to: str | None = None) -> str | None:
        """Return the provider's address for signing out there, None if it has none or can't be asked.

        `return_to`: the address to which the provider leads afterwards, if it knows this address.
        """
        raise NotImplementedError
