"""What the addresses of members have in common."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stratabase.domain.member import Caller, Member
from stratabase.http_api.admin.member_shapes import CREATED, MEMBERS_ADDRESS, MemberShapes, member_url
from stratabase.http_api.auth.authentication import require_caller
from stratabase.http_api.http import body
from stratabase.http_api.http.body import body_response
from stratabase.http_api.http.endpoint import Endpoint, Operation, Parameter, Responder, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.operations.members.given import Given
from stratabase.operations.members.rights import may_create

"""Where the members are, below the root of all addresses."""
MEMBER_PARAMETER = {"id": Parameter("What identifies the member.")}
"""The parameter of addresses of one member."""
UNKNOWN_MEMBER = ResponseSpec("There is no member with this id.")
NAME_TAKEN = "Another member has the username or the e-mail address"


@dataclass(frozen=True, slots=True)
class MemberOperations:
    """What can be done with members on behalf of a caller, who may not always."""

    read: Callable[[Caller, str], Member]
    list: Callable[[Caller], Iterable[Member]]
    create: Callable[[Caller, Given, str], Member]
    """Makes a member, who is mailed a link below an address."""
    update: Callable[[Caller, str, Given, str], object]
    """Changes a member; one who gives another e-mail address is mailed a link below an address."""
    remove: Callable[[Caller, str], None]


def member_id(request: Request) -> str:
    """Return the id in an address of one member."""
    return request.parameters.get("id", "")


def members_endpoint(administration: MemberOperations, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that lists members and makes them."""

    def show(request: Request, caller: Caller | None) -> Response:
        members = administration.list(require_caller(caller))
        return body_response(request, 200, shapes.listed, shapes.render_list(members, request.base_url))

    def create(request: Request, caller: Caller | None) -> Response:
        given = body.read_body(request, shapes.new)
        member = administration.create(require_caller(caller), given, request.base_url)
        location = ("Location", member_url(request.base_url, member))
        return body_response(request, 201, CREATED, {"id": member.id}, (location,))

    return Endpoint(MEMBERS_ADDRESS, {"GET": _list(show, shapes), "POST": _create(create, shapes)})


def _list(act: Responder, shapes: MemberShapes) -> Operation:
    answers = {200: ResponseSpec("All members, in the order of their usernames.", shapes.listed)}
    return Operation(act, "listMembers", "All members; for administrators.", answers)


def _create(act: Responder, shapes: MemberShapes) -> Operation:
    about = "Make a member, who is mailed a link to choose a password; for administrators."
    answers = {
        201: ResponseSpec("The member was made.", CREATED, {"Location": "The address of the member."}),
        409: ResponseSpec(f"{NAME_TAKEN}."),
        503: ResponseSpec(
            "The service is busy; or the member was made, but no mail could be sent, as the text then says.",
            headers={"Retry-After": "When to try again, in seconds."},
        ),
    }
    return Operation(
        act, "createMember", about, answers, shapes.new, authorize=lambda _, caller: may_create(caller)
    )
