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
from stratabase.operations.members.rights import may_change


def member_endpoint(administration: Administration, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows, changes and deletes a member."""

    def show(request: Request, caller: Caller | None) -> Response:
        member = administration.read(known(caller), id_in(request))
        return answer(request, 200, shapes.single, shapes.show(shapes.single, member))

    def update(request: Request, caller: Caller | None) -> Response:
        given = body.read(request, shapes.changes)
        administration.update(known(caller), id_in(request), given, request.base_url)
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
        "or any for administrators. What is given as it was is no change. One's own new e-mail address takes "
        "effect when it is confirmed by the link in a mail to it; until then, GET shows it as pendingEmail. "
        "The format is that of the body; the answers are texts."
    )
    answers = {
        200: Told("`Update Complete`", "text/plain"),
        404: UNKNOWN,
        409: Told(f"{TAKEN}, or nobody else is an administrator."),
        429: Told(
            "Too many wrong passwords, too many mails to confirm an e-mail address, or too many requests."
        ),
        503: Told("The service is busy; or no mail could be sent to a new e-mail address."),
    }
    return Operation(
        act,
        "updateMember",
        about,
        answers,
        shapes.changes,
        rights=lambda request, caller: may_change(caller, id_in(request)),
        refuses=Manner.TEXT,
    )


def _delete(act: Act) -> Operation:
    answers = {
        200: Told("`Delete completed`", "text/plain"),
        500: Told("There is no such member, or it is the last administrator; or something went wrong."),
    }
    about = "Delete a member; for administrators. The answers are texts."
    return Operation(act, "deleteMember", about, answers, refuses=Manner.TEXT)
