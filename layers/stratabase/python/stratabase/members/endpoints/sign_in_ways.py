"""The endpoint that lists the ways to sign in: JSON and XML for front ends, and a page for people."""

from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import Malformed, status_row
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.members.pages.sign_in import SignInPages, prefers_page
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

_HTML = "text/html"
_VARY: Headers = (("Vary", "Accept"),)
_NO_STORE: Headers = (("Cache-Control", "no-store"),)
_WAYS = ListShape(
    "ways",
    Shape(
        "way",
        {
            "name": Field(
                "The name of the way: password, or that of an identity provider.",
                required=True,
                example="password",
            ),
            "label": Field(
                "What a button says, in the language of the request.",
                required=True,
                example="Username and password",
            ),
            "url": Field(
                "The address that takes the username and the password, or to which a browser goes with "
                "returnTo and challenge to sign in with the provider.",
                required=True,
                format="uri",
                example="https://api.example.com/public/token/getJwtToken",
            ),
            "signOutUrl": Field(
                "The address to which a browser goes with returnTo to sign out of the provider, too.",
                nullable=True,
                format="uri",
            ),
        },
        name="SignInWay",
    ),
)
_BY_MEDIA = {"application/json": _WAYS, "application/xml": _WAYS}
RETURN_TO = Parameter(
    "The page to which the browser returns: of an origin in STRATABASE_ALLOWED_ORIGINS, or of the service.",
    example="https://app.example.com/signed-in",
)
CHALLENGE = Parameter(
    "The base64url form of the SHA-256 of the verifier that the front end keeps (PKCE, S256).",
    example="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
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


def sign_in_ways_endpoint(
    find_ways: Callable[[], Sequence[SignInWay]],
    check: Callable[[str, str, str], None],
    pages: SignInPages,
) -> Endpoint:
    """Return the endpoint that lists the ways to sign in.

    `find_ways` returns them in their order. `check(return_to, challenge, base_url)` raises Refusal for where
    a sign-in can't end.
    """

    def list_ways(request: Request, _caller: Caller | None) -> Response:
        if prefers_page(request):
            return show_ways(request)
        language = response_language(request)
        content = [
            {
                "name": way.name,
                "label": way.label.in_language(language),
                "url": f"{request.base_url}{way.path}",
                "signOutUrl": way.sign_out_path and f"{request.base_url}{way.sign_out_path}",
            }
            for way in find_ways()
        ]
        return body_response(request, 200, _WAYS, content, (*_VARY, *_NO_STORE))

    def show_ways(request: Request) -> Response:
        providers = [way for way in find_ways() if way.name != BY_PASSWORD.name]
        sent = {name: single(request, name) for name in ("returnTo", "challenge")}
        if not any(sent.values()):
            return pages.show_ways(request, [], _VARY)
        try:
            check(sent["returnTo"] or "", sent["challenge"] or "", request.base_url)
        except Refusal as refusal:
            return pages.refuse(request, refusal, status_row(refusal).status, _VARY)
        query = urlencode({name: value for name, value in sent.items() if value})
        links = [(way.label, f"{request.base_url}{way.path}?{query}") for way in providers]
        return pages.show_ways(request, links, _VARY)

    operation = Operation(
        list_ways,
        "listSignInWays",
        "The ways to sign in: a page for browsers, and JSON or XML for programs. The page leads to the "
        "providers if it gets returnTo and challenge.",
        {
            200: ResponseSpec(
                "The ways, in the order in which to show them.", (_HTML, _BY_MEDIA), {"Vary": "`Accept`."}
            ),
            400: ResponseSpec("A parameter is not valid. A page says so to browsers.", _HTML),
        },
        query={"returnTo": RETURN_TO, "challenge": CHALLENGE},
    )
    return Endpoint({"GET": operation})


def single(request: Request, name: str) -> str | None:
    """Return the value of a parameter of the query, None if it is missing. Raises Malformed."""
    values = request.query.get(name, ())
    if len(values) > 1:
        raise Malformed(_('The query parameter "{name}" must not be repeated.', name=name))
    return values[0] if values else None
