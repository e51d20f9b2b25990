"""The endpoints of the API keys of a member."""

from collections.abc import Callable
from typing import Protocol

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.http.base.authentication import BEARER_CHALLENGE, require_caller
from stratabase.core.http.base.body import body_response, read_body
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.members.api_keys import MAX_KEYS
from stratabase.members.credentials import ApiKey
from stratabase.members.endpoints.members import MEMBER_PARAMETER, UNKNOWN_MEMBER, requested_id
from stratabase.members.operations.member_keys import (
    MAX_DAYS,
    MAX_KEY_NAME_LENGTH,
    MAX_NETWORKS_LENGTH,
    ONLY_OWN_KEYS,
    ListedKey,
    NewKey,
)
from stratabase.members.operations.rules import FieldValues, require_self_or_administrator

_EXAMPLE_KEY = "stratabase_06h0591rh9cjbrhjuu6ae1f0ok_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13LL8yz"
_NAME = Field(
    "What the key is for. No other key of the member has the same name.",
    required=True,
    max_length=MAX_KEY_NAME_LENGTH,
    example="nightly import",
)
_EXPIRES = "The instant from which the key is no longer valid, in ISO 8601."
_PROFILE = "A profile that lies within that of the member. The key may do what it may do, and nothing else."
_NETWORKS = "The networks that the key can be sent from, in CIDR notation, separated by spaces."
_WANTED = Shape(
    "key",
    {
        "name": _NAME,
        "expires": Field(
            f"{_EXPIRES} A date means its start in UTC. Without it, the key has no end.",
            nullable=True,
            format="date-time",
            example="2030-12-31T23:00:00Z",
        ),
        "days": Field(
            f"Instead of `expires`: the number of days for which the key is valid, at most {MAX_DAYS:,}.",
            "integer",
            nullable=True,
            example=90,
        ),
        "profile": Field(f"{_PROFILE} Default: the profile of the member.", nullable=True),
        "networks": Field(
            f"{_NETWORKS} Default: all.",
            nullable=True,
            max_length=MAX_NETWORKS_LENGTH,
            example="203.0.113.0/24 2001:db8::/32",
        ),
        "currentPassword": Field(
            "Your own password. Required if you signed in more than 10 minutes ago, unless the request uses "
            "HTTP Basic.",
            nullable=True,
            format="password",
        ),
    },
    name="NewKey",
)
_ID = Field("The ID of the key, which is not secret.", required=True)
_SHOWN = {
    "created": Field("When the key was made.", required=True, format="date-time"),
    "expires": Field(f"{_EXPIRES} Null: it has no end.", required=True, nullable=True, format="date-time"),
    "profile": Field(f"{_PROFILE} Null: that of the member.", required=True, nullable=True),
    "networks": Field(f"{_NETWORKS} Null: all.", required=True, nullable=True),
}
_CREATED = Shape(
    "key",
    {
        "id": _ID,
        "key": Field(
            "The key, for the header Authorization: Bearer. Nobody can read it again.",
            required=True,
            example=_EXAMPLE_KEY,
        ),
        "name": _NAME,
        **_SHOWN,
    },
    name="CreatedKey",
)
_LISTED = ListShape(
    "keys",
    Shape(
        "key",
        {
            "id": _ID,
            "name": _NAME,
            **_SHOWN,
            "lastUsed": Field(
                "The start of the hour in which the key was used last. Null: it was never used.",
                required=True,
                nullable=True,
                format="date-time",
            ),
            "url": Field("The address of the key.", required=True, format="uri"),
        },
        name="ListedKey",
    ),
)
_UNKNOWN_KEY = ResponseSpec("A member or a key with this ID does not exist.")


class KeyOperations(Protocol):
    """The operations on the keys of members. Each takes the caller and the ID of the member first."""

    @property
    def list_keys(self) -> Callable[[Caller, str], tuple[ListedKey, ...]]:
        """A function that returns the keys of a member."""

    @property
    def create_key(self) -> Callable[[Caller, str, FieldValues, str], NewKey]:
        """A function that makes a key. It takes the values, and the IP address of the request."""

    @property
    def end_key(self) -> Callable[[Caller, str, str], ApiKey]:
        """A function that ends the key with an ID."""


def member_keys_endpoint(operations: KeyOperations) -> Endpoint:
    """Return the endpoint that lists and makes keys of a member."""

    def list_keys(request: Request, caller: Caller | None) -> Response:
        listed = operations.list_keys(require_caller(caller), requested_id(request))
        url = _url(request)
        content = [
            {
                **_rendered(each.key),
                "lastUsed": _instant(each.used),
                "url": f"{url}/{each.key.id}",
            }
            for each in listed
        ]
        return body_response(request, 200, _LISTED, content)

    def create_key(request: Request, caller: Caller | None) -> Response:
        values = read_body(request, _WANTED)
        try:
            made = operations.create_key(
                require_caller(caller), requested_id(request), values, request.source_address
            )
        except InvalidCredentials:
            raise
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [BEARER_CHALLENGE]) from refusal
        shown = _rendered(made.key)
        content = {"id": shown.pop("id"), "key": made.text, **shown}
        location = ("Location", f"{_url(request)}/{made.key.id}")
        return body_response(request, 201, _CREATED, content, (location,))

    get = Operation(
        list_keys,
        "listKeys",
        "The API keys of a member: your own, or those of any member for administrators.",
        {200: ResponseSpec("The keys, oldest first.", _LISTED), 404: UNKNOWN_MEMBER},
        authorize=_require_owner,
    )
    post = Operation(
        create_key,
        "createKey",
        "Make an API key: for yourself, or for a program as an administrator. The response is the only one "
        "that has the key. A request with an API key can't make another one.",
        {
            201: ResponseSpec("The key was made.", _CREATED, {"Location": "The address of the key."}),
            404: UNKNOWN_MEMBER,
            409: ResponseSpec(f"The member has a key with the same name, or {MAX_KEYS} keys."),
        },
        _WANTED,
        authorize=_require_owner,
    )
    return Endpoint({"GET": get, "POST": post}, MEMBER_PARAMETER)


def member_key_endpoint(operations: KeyOperations) -> Endpoint:
    """Return the endpoint that ends a key of a member."""

    def end_key(request: Request, caller: Caller | None) -> Response:
        key_id = request.parameters.get("key", "")
        operations.end_key(require_caller(caller), requested_id(request), key_id)
        return Response(204)

    operation = Operation(
        end_key,
        "endKey",
        "End an API key: your own, or that of any member for administrators. Requests with the key are "
        "refused within 3 seconds.",
        {204: ResponseSpec("The key has ended."), 404: _UNKNOWN_KEY},
        authorize=_require_owner,
    )
    return Endpoint({"DELETE": operation}, {**MEMBER_PARAMETER, "key": Parameter("The ID of the key.")})


def _require_owner(request: Request, caller: Caller) -> None:
    require_self_or_administrator(caller, requested_id(request), ONLY_OWN_KEYS)


def _rendered(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "created": format_instant(key.since),
        "expires": _instant(key.until),
        "profile": key.profile,
        "networks": " ".join(key.networks) or None,
    }


def _instant(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)


def _url(request: Request) -> str:
    """Return the URL of the keys of the member in the path of a request."""
    return f"{request.base_url}{request.resource}".replace("{id}", requested_id(request))
