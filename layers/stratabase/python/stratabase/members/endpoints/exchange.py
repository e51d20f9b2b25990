"""The endpoint that exchanges the code of a sign-in with a provider, or an access token, for a token."""

from collections.abc import Callable
from typing import Any, Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import BEARER_CHALLENGE
from stratabase.core.http.base.body import FORM_MEDIA_TYPE
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import InvalidCredentials, Malformed
from stratabase.core.http.base.shape import Field, Shape
from stratabase.members.endpoints.tokens import TOKEN, token_response
from stratabase.members.pages.link_pages import read_submission
from stratabase.members.provider_sign_in.codes import MAX_CODE_LENGTH
from stratabase.members.sign_in.json_web_tokens import MAX_TOKEN_LENGTH
from stratabase.members.sign_in.tokens import IssuedToken
from stratabase.values.messages import Message, _

GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a type
"""The only type of tokens that are taken and issued (RFC 8693 section 3)."""
_BY_CODE = ("code", "verifier")
_BY_TOKEN = ("grant_type", "subject_token", "subject_token_type")
_TYPES = {
    "grant_type": GRANT_TYPE,
    "subject_token_type": ACCESS_TOKEN,
    "requested_token_type": ACCESS_TOKEN,
}
"""The only values of fields."""
_BODY = Shape(
    "exchange",
    {
        "code": Field("The code from the address to which the browser returned.", max_length=MAX_CODE_LENGTH),
        "verifier": Field(
            "The verifier whose challenge the sign-in began with (PKCE).",
            max_length=128,
            example="dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ),
        "grant_type": Field(f"With an access token: `{GRANT_TYPE}`."),
        "subject_token": Field(
            "An access token of an identity provider whose access tokens are accepted.",
            max_length=MAX_TOKEN_LENGTH,
        ),
        "subject_token_type": Field(f"With an access token: `{ACCESS_TOKEN}`."),
        "requested_token_type": Field(f"With an access token: `{ACCESS_TOKEN}`, which is the default."),
    },
    name="TokenExchange",
)
_EXCHANGED = Shape(
    "token",
    {
        **TOKEN.fields,
        "issued_token_type": Field(f"`{ACCESS_TOKEN}`, if the request has a grant_type."),
    },
    name="ExchangedToken",
)


class Exchanges(Protocol):
    """What exchanges proofs of a sign-in. Each raises Unauthenticated, TooManyFailures, Unavailable."""

    def by_code(self, code: str, verifier: str) -> IssuedToken:
        """Return a token for a code."""

    def by_access_token(self, token: str) -> IssuedToken:
        """Return a token for an access token of a provider."""


def exchange_endpoint(exchanges: Callable[[], Exchanges]) -> Endpoint:
    """Return the endpoint that exchanges a code or an access token for a token of this service."""

    def exchange(request: Request, _caller: Caller | None) -> Response:
        fields, _is_form = read_submission(request, _BODY, _BODY)
        is_code = _check(fields)
        try:
            token = (
                exchanges().by_code(fields["code"], fields["verifier"])
                if is_code
                else exchanges().by_access_token(fields["subject_token"])
            )
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [BEARER_CHALLENGE]) from refusal
        further = {} if is_code else {"issued_token_type": ACCESS_TOKEN}
        return token_response(request, token, _EXCHANGED, further)

    operation = Operation(
        exchange,
        "exchangeToken",
        "Exchange the code with which a sign-in with an identity provider has ended for a token: send code "
        "and verifier. Or exchange an access token of such a provider (RFC 8693).",
        {
            200: ResponseSpec("A token, as from getJwtToken.", _EXCHANGED),
            401: ResponseSpec(
                "The code or the access token is not valid, or no member is linked with its account.",
                headers={"WWW-Authenticate": "The scheme of the token: Bearer."},
            ),
            403: ResponseSpec("The model does not have the member's profile."),
        },
        {"application/json": _BODY, "application/xml": _BODY, FORM_MEDIA_TYPE: _BODY},
    )
    return Endpoint({"POST": operation})


def _check(fields: dict[str, Any]) -> bool:
    """Return whether the fields are a code and its verifier; otherwise, they are an access token.

    Raises Malformed.
    """
    if set(fields) == set(_BY_CODE):
        return True
    if not set(_BY_TOKEN) <= set(fields) or set(fields) & set(_BY_CODE):
        raise Malformed(_missing())
    for name, value in _TYPES.items():
        if fields.get(name, value) != value:
            raise Malformed(_('"{field}" must be {value}.', field=name, value=value))
    return False


def _missing() -> Message:
    return _(
        'Send "code" and "verifier", or "grant_type", "subject_token" and "subject_token_type".',
    )
