"""The endpoint of the ways to sign in: JSON and XML for front ends, and the sign-in page for people."""

from collections.abc import Callable, Sequence

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.body import FORM_MEDIA_TYPE, body_response
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.members.endpoints.sign_in_page import (
    CHALLENGE,
    RETURN_TO,
    SIGN_IN_AGE,
    SIGN_IN_FORM,
    VARY,
    SignInPage,
    SignInWay,
)
from stratabase.members.pages.link_pages import RETRY_AFTER
from stratabase.members.pages.sign_in import prefers_page

_HTML = "text/html"
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


def sign_in_ways_endpoint(ways: Callable[[], Sequence[SignInWay]], page: SignInPage) -> Endpoint:
    """Return the endpoint that lists the ways to sign in, and has the sign-in page.

    `ways` returns them in their order.
    """

    def list_ways(request: Request, _caller: Caller | None) -> Response:
        if prefers_page(request):
            return page.show(request)
        language = response_language(request)
        content = [
            {
                "name": way.name,
                "label": way.label.in_language(language),
                "url": f"{request.base_url}{way.path}",
                "signOutUrl": way.sign_out_path and f"{request.base_url}{way.sign_out_path}",
            }
            for way in ways()
        ]
        return body_response(request, 200, _WAYS, content, (*VARY, *_NO_STORE))

    get = Operation(
        list_ways,
        "listSignInWays",
        "The ways to sign in: JSON or XML for programs, and the sign-in page for browsers, to which a front "
        "end leads them with returnTo and challenge.",
        {
            200: ResponseSpec(
                "The ways, in the order in which to show them, or the page.",
                (_HTML, _BY_MEDIA),
                {"Vary": "`Accept`."},
            ),
            302: ResponseSpec(
                "Without returnTo and challenge, a browser goes to the account page.",
                headers={"Location": "The address of the account page."},
            ),
            400: ResponseSpec("A parameter is not valid. A page says so to browsers.", _HTML),
        },
        query={
            "returnTo": RETURN_TO,
            "challenge": CHALLENGE,
            "maxAge": SIGN_IN_AGE,
        },
    )
    post = Operation(
        lambda request, _caller: page.submit(request),
        "signInWithPassword",
        "The form of the sign-in page. Programs use getJwtToken instead.",
        {
            303: ResponseSpec(
                "The browser goes to returnTo, with a `code` that works once within 60 seconds.",
                headers={"Location": "The address of the application."},
            ),
            400: ResponseSpec("A field is missing or not valid. The page says so.", _HTML),
            401: ResponseSpec(
                "The username or password is incorrect. The page says so.",
                _HTML,
                {"WWW-Authenticate": "The scheme of the token: Bearer."},
            ),
            403: ResponseSpec("The model does not have the member's profile. The page says so.", _HTML),
            415: ResponseSpec("The request body is not from the form of the page."),
            429: ResponseSpec("Too many attempts have failed. The page says so.", _HTML, RETRY_AFTER),
            503: ResponseSpec("The store is not available. The page says so.", _HTML, RETRY_AFTER),
        },
        {FORM_MEDIA_TYPE: SIGN_IN_FORM},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": get, "POST": post})
