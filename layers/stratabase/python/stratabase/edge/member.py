"""One member."""

from stratabase.domain.member import Caller
from stratabase.domain.member_refusals import LastAdministrator, NoSuchMember
from stratabase.edge import body
from stratabase.edge.administration import ADDRESS, MEMBER, TAKEN, UNKNOWN, Administration, id_in, known
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.format import answer
from stratabase.edge.manner import say, text
from stratabase.edge.member_shapes import MemberShapes
from stratabase.edge.operation import Act, Manner, Operation, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response


def member_endpoint(administration: Administration, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows, changes and deletes a member."""

    def show(request: Request, caller: Caller | None) -> Response:
        member = administration.read(known(caller), id_in(request))
        return answer(request, 200, shapes.single, shapes.show(shapes.single, member))

    def update(request: Request, caller: Caller | None) -> Response:
        given = body.read(request, shapes.changes)
        administration.update(known(caller), id_in(request), given)
        return text(200, "Update Complete")

    def delete(request: Request, caller: Caller | None) -> Response:
        try:
            administration.remove(known(caller), id_in(request))
        except (NoSuchMember, LastAdministrator) as refusal:
            # service.md section 7 demands this status, and a text.
            return say(Manner.TEXT, request, 500, str(refusal))
        return text(200, "Delete completed")

    operations = {"GET": _show(show, shapes), "PUT": _update(update, shapes), "DELETE": _delete(delete)}
    return Endpoint(f"{ADDRESS}/{{id}}", operations, parameters=MEMBER)


def _show(act: Act, shapes: MemberShapes) -> Operation:
    answers = {200: Told("The member.", shapes.single), 404: UNKNOWN}
    return Operation(act, "readMember", "One member: oneself, or any for administrators.", answers)


def _update(act: Act, shapes: MemberShapes) -> Operation:
    about = (
        "Change what is given of a member: one's own fields but username, profile and disabled, "
        "or any for administrators. The format is that of the body; the answers are texts."
    )
    answers = {
        200: Told("`Update Complete`", "text/plain"),
        404: UNKNOWN,
        409: Told(f"{TAKEN}, or nobody else is an administrator."),
    }
    return Operation(act, "updateMember", about, answers, shapes.changes, refuses=Manner.TEXT)


def _delete(act: Act) -> Operation:
    answers = {
        200: Told("`Delete completed`", "text/plain"),
        500: Told("There is no such member, or it is the last administrator; or something went wrong."),
    }
    about = "Delete a member; for administrators. The answers are texts."
    return Operation(act, "deleteMember", about, answers, refuses=Manner.TEXT)
