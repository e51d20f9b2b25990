"""Sign in with a provider: lead the browser there, and take it back with a code for the front end."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import quote

from stratabase.core.domain.attempts import attempt_key
from stratabase.core.domain.issues.refusals import NotFound, Refusal, TooManyRequests, Unavailable
from stratabase.core.observe import Log
from stratabase.core.operations.ports import Clock
from stratabase.members.attempts import network
from stratabase.members.audit.actor import acting, by_provider
from stratabase.members.credentials import ProviderLink
from stratabase.members.exchange_codes import with_code
from stratabase.members.member import Member
from stratabase.members.operations.password_reset import SIGN_IN_PATH
from stratabase.members.provider_sign_in.admission import (
    Admission,
    AdmissionReason,
    NotAdmitted,
    signed_in_at,
)
from stratabase.members.provider_sign_in.attempt import (
    SignInAttempt,
    SignInRequest,
    is_challenge,
    new_attempt,
    require_secure,
    s256,
)
from stratabase.members.provider_sign_in.codes import LinkCodes, new_code
from stratabase.members.provider_sign_in.return_address import ReturnAddresses, with_answer
from stratabase.members.providers.client import ProviderClient
from stratabase.members.providers.refusals import SignInRefused
from stratabase.members.sign_in.sign_in_limits import FailureCount
from stratabase.values.messages import _


class UnknownProvider(NotFound):
    """The service has no identity provider with this name."""

    def __init__(self, name: str) -> None:
        super().__init__(_('The identity provider "{name}" does not exist.', name=name[:40]))


class BadChallenge(Refusal):
    """The PKCE challenge of a front end is missing or malformed."""

    def __init__(self) -> None:
        super().__init__(
            _(
                'The parameter "challenge" must be the base64url form of a SHA-256 (43 characters, PKCE '
                "with the method S256)."
            )
        )


class ProviderAnswer(NamedTuple):
    """What a provider puts into the query when it leads the browser back."""

    code: str | None
    error: str | None
    iss: str | None


class IncompleteAnswer(Refusal):
    """The provider has led the browser back without a code and without an error."""

    def __init__(self) -> None:
        super().__init__(_("The identity provider's response is not complete. Sign in again."))


ANSWER_ERRORS: Mapping[type[Refusal] | AdmissionReason, str] = {
    AdmissionReason.USERNAME: "username_missing",
    AdmissionReason.EMAIL: "email_missing",
    AdmissionReason.TAKEN: "name_taken",
    NotAdmitted: "not_admitted",
    TooManyRequests: "too_many_attempts",
    Unavailable: "unavailable",
    Refusal: "invalid_answer",
}
"""The value of the parameter `error` at the return address, by what went wrong."""
_PROVIDER_ERRORS = {
    "access_denied": "access_denied",
    "server_error": "unavailable",
    "temporarily_unavailable": "unavailable",
}
"""The values of that parameter for errors of a provider. All others are `provider_refused`."""
_OTHER_PROVIDER_ERROR = "provider_refused"
_MAX_LOGGED_ERROR = 40


def answer_error(refusal: Refusal) -> str:
    """Return the value of the parameter `error` at the return address for a refusal."""
    if isinstance(refusal, NotAdmitted) and refusal.reason in ANSWER_ERRORS:
        return ANSWER_ERRORS[refusal.reason]
    return next(error for kind in type(refusal).__mro__ if (error := ANSWER_ERRORS.get(kind)))


class Beginning(NamedTuple):
    """How a sign-in begins: the address of the provider, and what the browser must keep."""

    location: str
    attempt: SignInAttempt


class ProviderSignIn:
    """Begins and ends sign-ins and linkings. Nothing is kept in between but what the browser keeps."""

    def __init__(  # noqa: PLR0913, PLR0917 - each is a service that it uses
        self,
        clients: Mapping[str, ProviderClient],
        admission: Admission,
        link_codes: LinkCodes,
        return_addresses: ReturnAddresses,
        limit: FailureCount,
        clock: Clock,
        *,
        log: Log,
        note_refusal: Callable[[str], None],
    ) -> None:
        """`clients`: by the names of the providers. `limit` counts answers that prove nothing.

        `note_refusal` records that somebody was refused: the member with an ID, or "" for nobody known.
        """
        self._clients = clients
        self._admission = admission
        self._link_codes = link_codes
        self._return_addresses = return_addresses
        self._limit = limit
        self._clock = clock
        self._log = log
        self._note_refusal = note_refusal

    def client(self, name: str) -> ProviderClient:
        """Return the client of a provider. Raises UnknownProvider."""
        client = self._clients.get(name)
        if client is None:
            raise UnknownProvider(name)
        return client

    def begin(self, request: SignInRequest, base_url: str) -> Beginning:
        """Return how a sign-in begins. `base_url`: the root URL of the service.

        Raises UnknownProvider, Forbidden, BadReturnAddress, BadChallenge, ProviderUnavailable.
        """
        client = self.client(request.provider)
        require_secure(base_url)
        check_end(self._return_addresses, request.return_to, request.challenge, base_url)
        attempt = new_attempt(request, self._clock.now())
        location = client.authorization_url(
            callback_url(request.provider, base_url),
            attempt.state,
            attempt.nonce,
            s256(attempt.verifier),
            max_age=request.max_age,
        )
        return Beginning(location, attempt)

    def finish(self, attempt: SignInAttempt, answer: ProviderAnswer, base_url: str, address: str) -> str:
        """Return the address at which an attempt ends: with a code, or with an error of the provider.

        `address`: the IP address of the request. Raises IncompleteAnswer, SignInRefused, NotAdmitted,
        TooManyFailures, Unavailable.
        """
        client = self.client(attempt.provider)
        if answer.error is not None:
            client.check_answer_issuer(answer.iss)
            self._log.info(
                "Sign-in ended by the provider",
                provider=attempt.provider,
                error=answer.error[:_MAX_LOGGED_ERROR],
            )
            error = _PROVIDER_ERRORS.get(answer.error, _OTHER_PROVIDER_ERROR)
            return with_answer(attempt.return_to, {"error": error})
        if answer.code is None:
            raise IncompleteAnswer
        key = attempt_key("provider", network(address))
        with self._noting_refusals(), self._limit.attempt(key):
            identity = client.identity(
                answer.code,
                attempt.verifier,
                callback_url(attempt.provider, base_url),
                attempt.nonce,
                answer.iss,
                max_age=attempt.max_age,
            )
        now = self._clock.now()
        if attempt.links:
            link = ProviderLink(identity.issuer, identity.subject, attempt.provider, now)
            return with_answer(attempt.return_to, {"code": self._link_codes.make(link, attempt.challenge)})
        codes: list[str] = []
        since = signed_in_at(identity, now, is_new=True)

        def with_new_code(member: Member) -> Member:
            code = new_code(member.id, attempt.challenge, attempt.provider, since, now)
            codes.append(code.text)
            return with_code(member, code.stored, now)

        with self._noting_refusals(), acting(by_provider(attempt.provider)):
            self._admission.sign_in(client.provider, identity, with_new_code)
        return with_answer(attempt.return_to, {"code": codes[-1]})

    @contextmanager
    def _noting_refusals(self) -> Iterator[None]:
        try:
            yield
        except SignInRefused:
            self._note_refusal("")
            raise
        except NotAdmitted as refusal:
            self._note_refusal(refusal.member)
            raise

    def sign_out_url(self, name: str, return_to: str, base_url: str) -> str:
        """Return the address that ends a person's session at a provider, or `return_to` if it has none.

        Raises UnknownProvider, BadReturnAddress.
        """
        client = self.client(name)
        self._return_addresses.check(return_to, base_url)
        return client.end_session_url(return_to) or return_to


def check_end(addresses: ReturnAddresses, return_to: str, challenge: str, base_url: str) -> None:
    """Check where and for whom a sign-in ends. `base_url`: the root URL of the service.

    Raises BadReturnAddress, BadChallenge.
    """
    addresses.check(return_to, base_url)
    if not is_challenge(challenge):
        raise BadChallenge


def provider_path(name: str) -> str:
    """Return the path at which a sign-in with a provider begins."""
    return f"{SIGN_IN_PATH}/{quote(name, safe='')}"


def callback_url(name: str, base_url: str) -> str:
    """Return the redirect address of a provider, which is registered there."""
    return f"{base_url}{provider_path(name)}/callback"
