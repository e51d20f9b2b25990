"""Who the caller is."""

from stratabase.domain.member import Caller
from stratabase.edge.administration import UNKNOWN, Administration, known
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.format import answer
from stratabase.edge.member_shapes import MemberShapes
from stratabase.edge.operation import Operation, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response


def current_member_endpoint(administration: Administration, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows callers themselves."""

    def show(request: Request, caller: Caller | None) -> Response:
        caller = known(caller)
        member = administration.read(caller, caller.id)
        return answer(request, 200, shapes.current, shapes.show(shapes.current, member))

    answers = {200: Told("The member whose credentials these are.", shapes.current), 404: UNKNOWN}
    operation = Operation(show, "readCurrentMember", "The member who is asking.", answers)
    return Endpoint("/auth/administration/member", {"GET": operation})
