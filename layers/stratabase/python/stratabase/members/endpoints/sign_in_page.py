"""The sign-in page: a form for a username and a password, and links to the identity providers.

It needs no script. It ends at a front end with a code, however somebody signs in.
"""

from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from stratabase.core.domain.issues.refusals import Refusal, Unauthenticated, Unavailable
from stratabase.core.http.base.authentication import BEARER_CHALLENGE
from stratabase.core.http.base.body import FORM_MEDIA_TYPE, read_form
from stratabase.core.http.base.endpoint import Parameter
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import (
    InvalidCredentials,
    Malformed,
    UnsupportedMediaType,
    log_refusal,
)
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.observe import Log
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.pages.account import ACCOUNT_PATH
from stratabase.members.pages.sign_in import SignInForm, SignInPages
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

VARY: Headers = (("Vary", "Accept"),)
REDIRECT: Headers = (("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"))
RETURN_TO = Parameter(
    "The page to which the browser returns: of an origin in STRATABASE_ALLOWED_ORIGINS, or of the service.",
    example="https://app.example.com/signed-in",
)
CHALLENGE = Parameter(
    "The base64url form of the SHA-256 of the verifier that the front end keeps (PKCE, S256).",
    example="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
)
SIGN_IN_AGE = Parameter(
    "The seconds after which a person must sign in to the provider again. Without it, the provider decides.",
    example="600",
)
_END = ("returnTo", "challenge", "maxAge")
_MAX_AGE_SECONDS = 86_400
SIGN_IN_FORM = Shape(
    "form",
    {
        "username": Field("The member's username."),
        "password": Field("The member's password.", format="password"),
        "returnTo": Field(RETURN_TO.description, required=True),
        "challenge": Field(CHALLENGE.description, required=True),
        "maxAge": Field(SIGN_IN_AGE.description),
    },
    name="SignInForm",
)


@frozen
class SignInWay:
    """A way to sign in: its name, what a button says, and the path of its address."""

    name: str
    label: Message
    path: str
    sign_out_path: str | None = None
    """The path at which a person signs out of the provider."""


BY_PASSWORD = SignInWay("password", _("Username and password"), "/public/token/getJwtToken")


class SignInPage:
    """Shows the sign-in page, and takes its form."""

    def __init__(
        self,
        ways: Callable[[], Sequence[SignInWay]],
        check: Callable[[str, str, str], None],
        sign_in: Callable[[str, str, str, str, str], str],
        pages: SignInPages,
        log: Log,
    ) -> None:
        """`ways` returns the ways to sign in.

        `check(return_to, challenge, base_url)` raises Refusal for where a sign-in can't end.
        `sign_in(username, password, address, return_to, challenge)` returns the address at which it ends, or
        raises Refusal. `address`: the IP address of the request.
        """
        self._ways = ways
        self._check = check
        self._sign_in = sign_in
        self._pages = pages
        self._log = log

    def show(self, request: Request) -> Response:
        """Return the page with the form. Without returnTo, lead to the account page, which has one."""
        try:
            return_to, challenge, max_age = (single(request, name) or "" for name in _END)
            form = SignInForm(return_to, challenge, max_age)
            if not form.return_to and not form.challenge:
                location = f"{request.base_url}{ACCOUNT_PATH}"
                return Response(302, (("Location", location), *VARY, *REDIRECT))
            self._check_end(form, request.base_url)
        except Refusal as refusal:
            status, headers = log_refusal(self._log, request, refusal)
            return self._pages.refuse(request, refusal, status, (*VARY, *headers))
        return self._show_form(request, form, headers=VARY)

    def submit(self, request: Request) -> Response:
        """Return the redirect that ends the sign-in, or the page that says why there is none.

        Raises UnsupportedMediaType.
        """
        name = parse_media_type(request.header("content-type") or "").name
        if name != FORM_MEDIA_TYPE:
            message = _(
                "The request body must be {form}, not {actual}. Programs use the address {address}.",
                form=FORM_MEDIA_TYPE,
                actual=name,
                address=BY_PASSWORD.path,
            )
            raise UnsupportedMediaType(message)
        try:
            fields = read_form(request, SIGN_IN_FORM)
            form = SignInForm(
                fields["returnTo"], fields["challenge"], fields.get("maxAge", ""), fields.get("username", "")
            )
            self._check_end(form, request.base_url)
        except Refusal as refusal:
            status, headers = log_refusal(self._log, request, refusal)
            return self._pages.refuse(request, refusal, status, headers)
        return self._answer(request, form, fields.get("password", ""))

    def _answer(self, request: Request, form: SignInForm, password: str) -> Response:
        try:
            location = self._verify(request, form, password)
        except Refusal as refusal:
            status, headers = log_refusal(self._log, request, refusal)
            return self._show_form(request, form._replace(mistake=refusal.message), status, headers)
        return Response(303, (("Location", location), *REDIRECT))

    def _verify(self, request: Request, form: SignInForm, password: str) -> str:
        if not form.username or not password:
            raise Malformed(_("Enter your username and your password."))
        try:
            return self._sign_in(
                form.username, password, request.source_address, form.return_to, form.challenge
            )
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [BEARER_CHALLENGE]) from refusal

    def _show_form(
        self, request: Request, form: SignInForm, status: int = 200, headers: Headers = ()
    ) -> Response:
        sent = {"returnTo": form.return_to, "challenge": form.challenge, "maxAge": form.max_age}
        query = urlencode({name: value for name, value in sent.items() if value})
        links = [(way.label, f"{request.base_url}{way.path}?{query}") for way in self._providers()]
        return self._pages.show_form(request, form, links, status, headers)

    def _providers(self) -> Sequence[SignInWay]:
        try:
            return [way for way in self._ways() if way.name != BY_PASSWORD.name]
        except (Unavailable, UnusableStore) as error:
            # Passwords work without the document of the providers.
            self._log.error("Identity providers not readable", error=error)
            return []

    def _check_end(self, form: SignInForm, base_url: str) -> None:
        parse_max_age(form.max_age)
        self._check(form.return_to, form.challenge, base_url)


def single(request: Request, name: str) -> str | None:
    """Return the value of a parameter of the query, None if it is missing. Raises Malformed."""
    values = request.query.get(name, ())
    if len(values) > 1:
        raise Malformed(_('The query parameter "{name}" must not be repeated.', name=name))
    return values[0] if values else None


def parse_max_age(text: str) -> int | None:
    """Return the seconds of the parameter `maxAge`, None if it is empty. Raises Malformed."""
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > _MAX_AGE_SECONDS:
        raise Malformed(
            _(
                'The parameter "{parameter}" must be a whole number of seconds, at most {limit}.',
                parameter="maxAge",
                limit=_MAX_AGE_SECONDS,
            )
        )
    return int(text)
