"""The endpoint that lists the ways to sign in, for front ends and programs."""

from collections.abc import Iterable

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

_NO_STORE: Headers = (("Cache-Control", "no-store"),)
_WAYS = ListShape(
    "ways",
    Shape(
        "way",
        {
            "name": Field("The name of the way: password.", required=True, example="password"),
            "label": Field(
                "What a button says, in the language of the request.",
                required=True,
                example="Username and password",
            ),
            "url": Field(
                "The address that takes the username and the password.",
                required=True,
                format="uri",
                example="https://api.example.com/public/token/getJwtToken",
            ),
        },
        name="SignInWay",
    ),
)


@frozen
class SignInWay:
    """A way to sign in: its name, what a button says, and the path of its address."""

    name: str
    label: Message
    path: str


BY_PASSWORD = SignInWay("password", _("Username and password"), "/public/token/getJwtToken")


def sign_in_ways_endpoint(ways: Iterable[SignInWay]) -> Endpoint:
    """Return the endpoint that lists the ways to sign in, in their order."""
    listed = tuple(ways)

    def list_ways(request: Request, _caller: Caller | None) -> Response:
        language = response_language(request)
        content = [
            {
                "name": way.name,
                "label": way.label.in_language(language),
                "url": f"{request.base_url}{way.path}",
            }
            for way in listed
        ]
        return body_response(request, 200, _WAYS, content, _NO_STORE)

    operation = Operation(
        list_ways,
        "listSignInWays",
        "The ways to sign in.",
        {200: ResponseSpec("The ways, in the order in which to show them.", _WAYS)},
    )
    return Endpoint({"GET": operation})
