"""All members: the list, and a new one."""

from stratabase.domain.member import Caller
from stratabase.edge import body
from stratabase.edge.administration import ADDRESS, TAKEN, Administration, known, url
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.format import answer
from stratabase.edge.member_shapes import CREATED, MemberShapes
from stratabase.edge.operation import Act, Operation, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.operations.members.rights import may_create


def members_endpoint(administration: Administration, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that lists members and makes them."""

    def show(request: Request, caller: Caller | None) -> Response:
        members = administration.list(known(caller))
        return answer(request, 200, shapes.listed, shapes.list(members, request.base_url))

    def create(request: Request, caller: Caller | None) -> Response:
        given = body.read(request, shapes.new)
        member = administration.create(known(caller), given, request.base_url)
        location = ("Location", url(request.base_url, member))
        return answer(request, 201, CREATED, {"id": member.id}, (location,))

    return Endpoint(ADDRESS, {"GET": _list(show, shapes), "POST": _create(create, shapes)})


def _list(act: Act, shapes: MemberShapes) -> Operation:
    answers = {200: Told("All members, in the order of their usernames.", shapes.listed)}
    return Operation(act, "listMembers", "All members; for administrators.", answers)


def _create(act: Act, shapes: MemberShapes) -> Operation:
    about = "Make a member, who is mailed a link to choose a password; for administrators."
    answers = {
        201: Told("The member was made.", CREATED, {"Location": "The address of the member."}),
        409: Told(f"{TAKEN}."),
        503: Told(
            "The service is busy; or the member was made, but no mail could be sent, as the text then says.",
            headers={"Retry-After": "When to try again, in seconds."},
        ),
    }
    return Operation(
        act, "createMember", about, answers, shapes.new, rights=lambda _, caller: may_create(caller)
    )
