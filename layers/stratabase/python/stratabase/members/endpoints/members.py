"""The endpoint that lists and creates members.

All endpoints of members share the definitions in the first half of this file.
"""

from collections.abc import Callable, Iterable
from typing import Protocol

from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response, read_body
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.members.endpoints.member_shapes import CREATED_MEMBER, MemberShapes
from stratabase.members.member import Member
from stratabase.members.operations.rules import (
    ONLY_ADMINISTRATORS_CREATE,
    FieldValues,
)

MEMBER_PARAMETER = {"id": Parameter("The ID of the member.")}
"""The path parameter of addresses that name one member."""
UNKNOWN_MEMBER = ResponseSpec("A member with this ID does not exist.")
NAME_TAKEN = "Another member has the same username or email address"


class MemberOperations(Protocol):
    """The operations on members. Each takes the caller first and raises Forbidden if it may not proceed.

    `create` and `update` take the base URL of the service, because they mail links. `update` takes the IP
    address of the request last.
    """

    @property
    def read(self) -> Callable[[Caller, str], Member]:
        """A function that returns the member with an id."""

    @property
    def list(self) -> Callable[[Caller], Iterable[Member]]:
        """A function that returns all members."""

    @property
    def create(self) -> Callable[[Caller, FieldValues, str], Member]:
        """A function that creates a member from field values and returns it."""

    @property
    def update(self) -> Callable[[Caller, str, FieldValues, str, str], object]:
        """A function that changes the given fields of the member with an id."""

    @property
    def remove(self) -> Callable[[Caller, str], None]:
        """A function that deletes the member with an id."""


def requested_id(request: Request) -> str:
    """Return the member id from the path of a request."""
    return request.parameters.get("id", "")


def members_endpoint(members: MemberOperations, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that lists and creates members."""

    def list_members(request: Request, caller: Caller | None) -> Response:
        content = shapes.render_list(members.list(require_caller(caller)), _own_url(request))
        return body_response(request, 200, shapes.listed, content)

    def create_member(request: Request, caller: Caller | None) -> Response:
        member = members.create(require_caller(caller), read_body(request, shapes.new), request.base_url)
        location = ("Location", f"{_own_url(request)}/{member.id}")
        return body_response(request, 201, CREATED_MEMBER, {"id": member.id}, (location,))

    get = Operation(
        list_members,
        "listMembers",
        "All members; for administrators.",
        {200: ResponseSpec("All members, in the order of their usernames.", shapes.listed)},
    )
    post = Operation(
        create_member,
        "createMember",
        "Create a member; for administrators. A person gets an email with a link to choose a password.",
        {
            201: ResponseSpec(
                "The member was created.", CREATED_MEMBER, {"Location": "The address of the member."}
            ),
            409: ResponseSpec(f"{NAME_TAKEN}."),
            503: ResponseSpec(
                "The service is busy; or the member was created, but no email could be sent, as the detail "
                "then says.",
                headers={"Retry-After": "When to try again, in seconds."},
            ),
        },
        shapes.new,
        authorize=lambda _request, caller: require_administrator(caller, ONLY_ADMINISTRATORS_CREATE),
    )
    return Endpoint({"GET": get, "POST": post})


def _own_url(request: Request) -> str:
    """Return the URL that a request was sent to. Its route must not have path parameters."""
    return f"{request.base_url}{request.resource}"
