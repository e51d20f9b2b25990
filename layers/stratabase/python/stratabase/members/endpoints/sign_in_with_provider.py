"""The endpoints that lead a browser to an identity provider, take it back, and sign out there."""

from collections.abc import Callable

from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.error_response import error_response
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import Malformed, log_refusal
from stratabase.core.observe import Log
from stratabase.core.operations.ports import Clock
from stratabase.members.endpoints.sign_in_page import (
    CHALLENGE,
    REDIRECT,
    RETURN_TO,
    SIGN_IN_AGE,
    VARY,
    parse_max_age,
    single,
)
from stratabase.members.pages.sign_in import SignInPages, prefers_page
from stratabase.members.provider_sign_in.attempt import AttemptCookies, SignInRequest
from stratabase.members.provider_sign_in.flow import ProviderAnswer, ProviderSignIn, answer_error
from stratabase.members.provider_sign_in.return_address import with_answer
from stratabase.values.messages import _

_HTML = "text/html"
_PROVIDER = {"provider": Parameter("The name of the identity provider.", example="google")}
_UNKNOWN = ResponseSpec("The identity provider does not exist. A page says so to browsers.", _HTML)
_SAYS_SO = "A page says so to browsers."


class UnknownAttempt(Refusal):
    """The browser that comes back from a provider has no attempt with this state."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "This sign-in was already completed, has expired, or began in another browser. Go back to "
                "the application, and sign in again."
            )
        )


class SignInEndpoints:
    """The endpoints of signing in with a provider. The first request builds the parts that they need."""

    def __init__(
        self,
        sign_in: Callable[[], ProviderSignIn],
        cookies: Callable[[], AttemptCookies],
        pages: SignInPages,
        clock: Clock,
        log: Log,
    ) -> None:
        self._sign_in = sign_in
        self._cookies = cookies
        self._pages = pages
        self._clock = clock
        self._log = log

    def begin(self) -> Endpoint:
        """Return the endpoint at which a sign-in with a provider begins."""
        operation = Operation(
            lambda request, _caller: self._attempt(request, lambda: self._begin(request)),
            "signInWithProvider",
            "Lead a browser to an identity provider to sign in, or to link an account there. It ends at "
            "returnTo with a `code`, or with an `error`.",
            {
                302: ResponseSpec(
                    "The browser goes to the provider.",
                    headers={
                        "Location": "The address of the provider.",
                        "Set-Cookie": "What the browser keeps of this attempt, encrypted, for 10 minutes.",
                    },
                ),
                400: ResponseSpec(f"A parameter is missing or not valid. {_SAYS_SO}", _HTML),
                403: ResponseSpec(f"The address of the service has no HTTPS. {_SAYS_SO}", _HTML),
                404: _UNKNOWN,
                503: ResponseSpec(f"The provider can't be used at the moment. {_SAYS_SO}", _HTML),
            },
            query={
                "returnTo": _required(RETURN_TO),
                "challenge": _required(CHALLENGE),
                "maxAge": SIGN_IN_AGE,
                "purpose": Parameter("`link`: the code links the account to the member who is signed in."),
            },
        )
        return Endpoint({"GET": operation}, _PROVIDER, head=False)

    def callback(self) -> Endpoint:
        """Return the endpoint to which a provider leads the browser back."""
        operation = Operation(
            lambda request, _caller: self._come_back(request),
            "endSignInWithProvider",
            "The redirect address of an identity provider, to which only browsers come. It ends the attempt.",
            {
                302: ResponseSpec(
                    "The browser goes to returnTo, with a `code` that works once within 60 seconds, or with "
                    "the `error` of the provider.",
                    headers={
                        "Location": "The address of the application.",
                        "Set-Cookie": "Removes what the browser kept of the attempt.",
                    },
                ),
                400: ResponseSpec(
                    f"The browser has no such attempt, or the answer is not complete. {_SAYS_SO}", _HTML
                ),
                401: ResponseSpec(f"The provider's answer does not prove who it is. {_SAYS_SO}", _HTML),
                403: ResponseSpec(f"The service does not admit this account. {_SAYS_SO}", _HTML),
                404: _UNKNOWN,
                429: ResponseSpec(f"Too many sign-ins from this network have failed. {_SAYS_SO}", _HTML),
                503: ResponseSpec(f"The provider can't be used at the moment. {_SAYS_SO}", _HTML),
            },
            query={
                "state": Parameter("What the service has given to the provider."),
                "code": Parameter("The authorization code of the provider."),
                "error": Parameter("The error of the provider."),
                "iss": Parameter("The issuer of the answer (RFC 9207)."),
            },
        )
        return Endpoint({"GET": operation}, _PROVIDER, head=False)

    def sign_out(self) -> Endpoint:
        """Return the endpoint that leads a browser to a provider to sign out there."""
        operation = Operation(
            lambda request, _caller: self._attempt(request, lambda: self._sign_out(request)),
            "signOutOfProvider",
            "Lead a browser to an identity provider to sign out there. The session with this service is "
            "ended before, at its own address.",
            {
                302: ResponseSpec(
                    "The browser goes to the provider, or to returnTo if the provider has no such address.",
                    headers={"Location": "The address of the provider, or returnTo."},
                ),
                400: ResponseSpec(f"A parameter is missing or not valid. {_SAYS_SO}", _HTML),
                404: _UNKNOWN,
            },
            query={"returnTo": _required(RETURN_TO)},
        )
        return Endpoint({"GET": operation}, _PROVIDER)

    def _begin(self, request: Request) -> Response:
        sign_in_request = SignInRequest(
            request.parameters["provider"],
            single(request, "returnTo") or "",
            single(request, "challenge") or "",
            parse_max_age(single(request, "maxAge") or ""),
            _is_link(request),
        )
        beginning = self._sign_in().begin(sign_in_request, request.base_url)
        cookies = self._cookies()
        kept = cookies.write(beginning.attempt, request.base_url)
        return _redirect(beginning.location, (*cookies.delete_surplus(request), kept))

    def _come_back(self, request: Request) -> Response:
        state = (request.query.get("state") or ("",))[-1]
        # The attempt is over, whatever it comes to.
        over = _set_cookies((self._cookies().delete(request, state),))

        def finish() -> Response:
            attempt = self._cookies().read(request, state, self._clock.now())
            if attempt is None or attempt.provider != request.parameters["provider"]:
                raise UnknownAttempt
            answer = ProviderAnswer(*(single(request, name) for name in ("code", "error", "iss")))
            try:
                location = self._sign_in().finish(attempt, answer, request.base_url, request.source_address)
            except Refusal as refusal:
                back = with_answer(attempt.return_to, {"error": answer_error(refusal)})
                return self._refuse(request, refusal, over, back)
            return Response(302, (("Location", location), *over, *REDIRECT))

        return self._attempt(request, finish, over)

    def _sign_out(self, request: Request) -> Response:
        return_to = single(request, "returnTo") or ""
        name = request.parameters["provider"]
        return _redirect(self._sign_in().sign_out_url(name, return_to, request.base_url))

    def _attempt(self, request: Request, respond: Callable[[], Response], headers: Headers = ()) -> Response:
        """Return the response, or what says why it is refused: a page to browsers, and problem details."""
        try:
            return respond()
        except Refusal as refusal:
            return self._refuse(request, refusal, headers)

    def _refuse(
        self, request: Request, refusal: Refusal, headers: Headers, back: str | None = None
    ) -> Response:
        status, of_refusal = log_refusal(self._log, request, refusal)
        headers = (*headers, *of_refusal, *VARY)
        if prefers_page(request):
            return self._pages.refuse(request, refusal, status, headers, back)
        detail = refusal.message.in_language(response_language(request))
        return error_response(ErrorFormat.PROBLEM, request, status, detail, headers)


def _required(parameter: Parameter) -> Parameter:
    return Parameter(parameter.description, required=True, example=parameter.example)


def _is_link(request: Request) -> bool:
    purpose = single(request, "purpose")
    if purpose not in {None, "link"}:
        raise Malformed(_('The parameter "purpose" can only be "link".'))
    return purpose is not None


def _redirect(location: str, cookies: tuple[str, ...] = ()) -> Response:
    return Response(302, (("Location", location), *_set_cookies(cookies), *REDIRECT))


def _set_cookies(values: tuple[str, ...]) -> Headers:
    return tuple(("Set-Cookie", value) for value in values)
