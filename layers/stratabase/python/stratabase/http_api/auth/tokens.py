"""Getting a token for a password, and a new one for one that is still good."""

from collections.abc import Callable, Mapping

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Unauthenticated
from stratabase.http_api.auth import authentication
from stratabase.http_api.http import body
from stratabase.http_api.http.body import body_response
from stratabase.http_api.http.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers, InvalidCredentials
from stratabase.http_api.http.shape import Field, Shape
from stratabase.operations.token_issuer import IssuedToken, TokenIssuer

SignIn = Callable[[str, str, str], Caller]
"""Says whose the username and the password are that come from an address."""
CREDENTIALS_SHAPE = Shape(
    "credentials",
    {
        "username": Field("The member's username, in whatever case.", required=True, example="admin"),
        "password": Field("The member's password.", required=True, format="password"),
    },
)
TOKEN_SHAPE = Shape(
    "token",
    {
        "access_token": Field("The token, for the header Authorization: Bearer.", required=True),
        "token_type": Field("Always Bearer.", required=True, example="Bearer"),
        "expires_in": Field("For how many seconds it is good.", "integer", required=True, example=1800),
    },
)
_SHORT_LIVED: Headers = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
"""As RFC 6749 wants it: nobody keeps a token for somebody else."""
_GIVEN = {200: ResponseSpec("A new token.", TOKEN_SHAPE)}
_GET_ANSWERS: Mapping[int, ResponseSpec] = {
    **_GIVEN,
    401: ResponseSpec(
        "The username or the password is wrong.",
        headers={"WWW-Authenticate": "What the token will be good for: Bearer."},
    ),
    403: ResponseSpec("The model does not have the member's profile."),
}


def get_token_endpoint(sign_in: SignIn, issuer: TokenIssuer) -> Endpoint:
    """Return the endpoint that gives a token for a username and a password."""

    def get(request: Request, _: Caller | None) -> Response:
        given = body.read_body(request, CREDENTIALS_SHAPE)
        try:
            caller = sign_in(given["username"], given["password"], request.source_address)
        except Unauthenticated as refusal:
            raise InvalidCredentials(str(refusal), [authentication.BEARER_CHALLENGE]) from refusal
        return _given(request, issuer.now(caller))

    about = "Get a token for a username and a password."
    return Endpoint(
        "/public/token/getJwtToken",
        {"POST": Operation(get, "getJwtToken", about, _GET_ANSWERS, body=CREDENTIALS_SHAPE)},
    )


def refresh_token_endpoint(issuer: TokenIssuer) -> Endpoint:
    """Return the endpoint that gives a new token for one that is still good."""

    def refresh(request: Request, caller: Caller | None) -> Response:
        assert caller is not None, "the address is protected"
        try:
            return _given(request, issuer.refresh(caller))
        except Unauthenticated as refusal:
            challenge = (
                authentication.BEARER_CHALLENGE
                if caller.signed_in is None
                else authentication.INVALID_TOKEN_CHALLENGE
            )
            raise InvalidCredentials(str(refusal), [challenge]) from refusal

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
    return body_response(request, 200, TOKEN_SHAPE, content, _SHORT_LIVED)
