"""Getting a token for a password, and a new one for one that is still good."""

from collections.abc import Callable, Mapping

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.edge import bearer, body
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.format import answer
from stratabase.edge.operation import Operation, Told
from stratabase.edge.refusals import Challenged, Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.shape import Field, Shape
from stratabase.operations.token_issuer import IssuedToken, TokenIssuer

SignIn = Callable[[str, str, str], Caller]
"""Says whose the username and the password are that come from an address."""

CREDENTIALS = Shape(
    "credentials",
    {
        "username": Field("The member's username, in whatever case.", required=True, example="admin"),
        "password": Field("The member's password.", required=True, format="password"),
    },
)
TOKEN = Shape(
    "token",
    {
        "access_token": Field("The token, for the header Authorization: Bearer.", required=True),
        "token_type": Field("Always Bearer.", required=True, example="Bearer"),
        "expires_in": Field("For how many seconds it is good.", "integer", required=True, example=1800),
    },
)
_SHORT_LIVED: Headers = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
"""As RFC 6749 wants it: nobody keeps a token for somebody else."""
_GIVEN = {200: Told("A new token.", TOKEN)}
_GET_ANSWERS: Mapping[int, Told] = {
    **_GIVEN,
    401: Told(
        "The username or the password is wrong.",
        headers={"WWW-Authenticate": "What the token will be good for: Bearer."},
    ),
    403: Told("The model does not have the member's profile."),
}


def get_token_endpoint(sign_in: SignIn, issuer: TokenIssuer) -> Endpoint:
    """Return the endpoint that gives a token for a username and a password."""

    def get(request: Request, _: Caller | None) -> Response:
        given = body.read(request, CREDENTIALS)
        try:
            caller = sign_in(given["username"], given["password"], request.source_address)
        except Unauthenticated as refusal:
            raise Challenged(str(refusal), [bearer.CHALLENGE]) from refusal
        return _given(request, issuer.now(caller))

    about = "Get a token for a username and a password."
    return Endpoint(
        "/public/token/getJwtToken",
        {"POST": Operation(get, "getJwtToken", about, _GET_ANSWERS, body=CREDENTIALS)},
    )


def refresh_token_endpoint(issuer: TokenIssuer) -> Endpoint:
    """Return the endpoint that gives a new token for one that is still good."""

    def refresh(request: Request, caller: Caller | None) -> Response:
        assert caller is not None, "the address is protected"
        try:
            return _given(request, issuer.refresh(caller))
        except Unauthenticated as refusal:
            challenge = bearer.CHALLENGE if caller.signed_in is None else bearer.REFUSED
            raise Challenged(str(refusal), [challenge]) from refusal

    about = (
        "Get a new token for the one that the request is sent with. That goes on for some hours after the "
        "password was given."
    )
    return Endpoint(
        "/auth/token/refreshJwtToken", {"GET": Operation(refresh, "refreshJwtToken", about, _GIVEN)}
    )


def _given(request: Request, token: IssuedToken) -> Response:
    content = {
        "access_token": token.access_token,
        "token_type": "Bearer",
        "expires_in": token.expires_in,
    }
    return answer(request, 200, TOKEN, content, _SHORT_LIVED)
