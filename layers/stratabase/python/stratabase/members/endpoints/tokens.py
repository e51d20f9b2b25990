"""The endpoints that issue tokens, in exchange for a username and password or for a valid token."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import (
    BEARER_CHALLENGE,
    INVALID_TOKEN_CHALLENGE,
    require_caller,
)
from stratabase.core.http.base.body import body_response, read_body
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.http.base.shape import Field, Shape
from stratabase.members.sign_in.session_tokens import SessionTokens
from stratabase.members.sign_in.tokens import IssuedToken

_CREDENTIALS = Shape(
    "credentials",
    {
        "username": Field(
            "The member's username, in uppercase or lowercase.", required=True, example="admin"
        ),
        "password": Field("The member's password.", required=True, format="password"),
    },
)
TOKEN = Shape(
    "token",
    {
        "access_token": Field("The token, for the header Authorization: Bearer.", required=True),
        "token_type": Field("Always Bearer.", required=True, example="Bearer"),
        "expires_in": Field(
            "The number of seconds for which the token is valid.", "integer", required=True, example=1800
        ),
    },
)
_NO_STORE: Headers = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
"""Headers of responses with a token, which caches must not store (RFC 6749 section 5.1)."""
_NEW_TOKEN = ResponseSpec("A new token.", TOKEN)


def get_token_endpoint(sign_in: Callable[[str, str, str], Caller], tokens: SessionTokens) -> Endpoint:
    """Return the endpoint that begins a session for a username and a password.

    `sign_in(username, password, source_address)` returns the caller, or raises Unauthenticated.
    """

    def get_token(request: Request, _caller: Caller | None) -> Response:
        credentials = read_body(request, _CREDENTIALS)
        try:
            caller = sign_in(credentials["username"], credentials["password"], request.source_address)
            token = tokens.begin(caller)
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [BEARER_CHALLENGE]) from refusal
        return token_response(request, token)

    operation = Operation(
        get_token,
        "getJwtToken",
        "Get a token for a username and a password. It begins a session.",
        {
            200: _NEW_TOKEN,
            401: ResponseSpec(
                "The username or password is incorrect.",
                headers={"WWW-Authenticate": "The scheme of the token: Bearer."},
            ),
            403: ResponseSpec("The model does not have the member's profile."),
        },
        body=_CREDENTIALS,
    )
    return Endpoint({"POST": operation})


def refresh_token_endpoint(tokens: SessionTokens) -> Endpoint:
    """Return the endpoint that exchanges a valid token for the next one of its session."""

    def refresh_token(request: Request, caller: Caller | None) -> Response:
        caller = require_caller(caller)
        try:
            return token_response(request, tokens.renew(caller))
        except Unauthenticated as refusal:
            has_token = isinstance(caller.proof, SentToken)
            challenge = INVALID_TOKEN_CHALLENGE if has_token else BEARER_CHALLENGE
            raise InvalidCredentials(refusal.message, [challenge]) from refusal

    operation = Operation(
        refresh_token,
        "refreshJwtToken",
        "Exchange the token of the request for a new one. This works for some hours after the "
        "member signed in, as long as nobody ends the session.",
        {200: _NEW_TOKEN},
    )
    return Endpoint({"GET": operation})


def token_response(
    request: Request,
    token: IssuedToken,
    shape: Shape = TOKEN,
    further: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    """Return the response with a token. `further`: what a shape has besides."""
    content = {
        "access_token": token.access_token,
        "token_type": "Bearer",
        "expires_in": token.expires_in,
        **further,
    }
    return body_response(request, 200, shape, content, _NO_STORE)
