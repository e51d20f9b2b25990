"""One member."""

from stratabase.domain.member import Caller
from stratabase.domain.member_refusals import LastAdministrator, NoSuchMember
from stratabase.http_api.admin.member_shapes import MEMBERS_ADDRESS, MemberShapes
from stratabase.http_api.admin.members import (
    MEMBER_PARAMETER,
    NAME_TAKEN,
    UNKNOWN_MEMBER,
    MemberOperations,
    member_id,
)
from stratabase.http_api.auth.authentication import require_caller
from stratabase.http_api.http import body
from stratabase.http_api.http.body import body_response
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, Responder, ResponseSpec
from stratabase.http_api.http.error_response import error_response, text_response
from stratabase.http_api.http.messages import Request, Response
from stratabase.operations.members.rights import may_change


def member_endpoint(administration: MemberOperations, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows, changes and deletes a member."""

    def show(request: Request, caller: Caller | None) -> Response:
        member = administration.read(require_caller(caller), member_id(request))
        return body_response(request, 200, shapes.single, shapes.render_member(shapes.single, member))

    def update(request: Request, caller: Caller | None) -> Response:
        given = body.read_body(request, shapes.changes)
        administration.update(require_caller(caller), member_id(request), given, request.base_url)
        return text_response(200, "Update Complete")

    def delete(request: Request, caller: Caller | None) -> Response:
        try:
            administration.remove(require_caller(caller), member_id(request))
        except (NoSuchMember, LastAdministrator) as refusal:
            # service.md section 7 demands this status, and a text.
            return error_response(ErrorFormat.TEXT, request, 500, str(refusal))
        return text_response(200, "Delete completed")

    operations = {"GET": _show(show, shapes), "PUT": _update(update, shapes), "DELETE": _delete(delete)}
    return Endpoint(f"{MEMBERS_ADDRESS}/{{id}}", operations, parameters=MEMBER_PARAMETER)


def _show(act: Responder, shapes: MemberShapes) -> Operation:
    answers = {200: ResponseSpec("The member.", shapes.single), 404: UNKNOWN_MEMBER}
    return Operation(act, "readMember", "One member: oneself, or any for administrators.", answers)


def _update(act: Responder, shapes: MemberShapes) -> Operation:
    about = (
        "Change what is given of a member: one's own fields but username, profile and disabled, "
        "or any for administrators. What is given as it was is no change. One's own new e-mail address takes "
        "effect when it is confirmed by the link in a mail to it; until then, GET shows it as pendingEmail. "
        "The format is that of the body; the answers are texts."
    )
    answers = {
        200: ResponseSpec("`Update Complete`", "text/plain"),
        404: UNKNOWN_MEMBER,
        409: ResponseSpec(f"{NAME_TAKEN}, or nobody else is an administrator."),
        429: ResponseSpec(
            "Too many wrong passwords, too many mails to confirm an e-mail address, or too many requests."
        ),
        503: ResponseSpec("The service is busy; or no mail could be sent to a new e-mail address."),
    }
    return Operation(
        act,
        "updateMember",
        about,
        answers,
        shapes.changes,
        authorize=lambda request, caller: may_change(caller, member_id(request)),
        error_format=ErrorFormat.TEXT,
    )


def _delete(act: Responder) -> Operation:
    answers = {
        200: ResponseSpec("`Delete completed`", "text/plain"),
        500: ResponseSpec(
            "There is no such member, or it is the last administrator; or something went wrong."
        ),
    }
    about = "Delete a member; for administrators. The answers are texts."
    return Operation(act, "deleteMember", about, answers, error_format=ErrorFormat.TEXT)


def current_member_endpoint(administration: MemberOperations, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows callers themselves."""

    def show(request: Request, caller: Caller | None) -> Response:
        caller = require_caller(caller)
        member = administration.read(caller, caller.id)
        return body_response(request, 200, shapes.current, shapes.render_member(shapes.current, member))

    answers = {
        200: ResponseSpec("The member whose credentials these are.", shapes.current),
        404: UNKNOWN_MEMBER,
    }
    operation = Operation(show, "readCurrentMember", "The member who is asking.", answers)
    return Endpoint("/auth/administration/member", {"GET": operation})
