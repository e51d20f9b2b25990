"""The endpoints of one member: a member by id, and the caller."""

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.http.base.authentication import BEARER_CHALLENGE, require_caller
from stratabase.core.http.base.body import body_response, read_body
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.error_response import error_response, text_response
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import InvalidCredentials
from stratabase.members.endpoints.member_shapes import MemberShapes
from stratabase.members.endpoints.members import (
    MEMBER_PARAMETER,
    NAME_TAKEN,
    UNKNOWN_MEMBER,
    MemberOperations,
    requested_id,
)
from stratabase.members.operations.fresh_sign_in import StaleSignIn
from stratabase.members.operations.rules import ONLY_ADMINISTRATORS_CHANGE, require_self_or_administrator
from stratabase.members.refusals import LastAdministrator, NoSuchMember


def member_endpoint(members: MemberOperations, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows, changes and deletes a member."""

    def read_member(request: Request, caller: Caller | None) -> Response:
        member = members.read(require_caller(caller), requested_id(request))
        return body_response(request, 200, shapes.single, shapes.render_member(shapes.single, member))

    def update_member(request: Request, caller: Caller | None) -> Response:
        changes = read_body(request, shapes.changes)
        try:
            members.update(
                require_caller(caller),
                requested_id(request),
                changes,
                request.base_url,
                request.source_address,
            )
        except StaleSignIn:
            raise
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, [BEARER_CHALLENGE]) from refusal
        return text_response(200, "Update Complete")

    def delete_member(request: Request, caller: Caller | None) -> Response:
        try:
            members.remove(require_caller(caller), requested_id(request))
        except (NoSuchMember, LastAdministrator) as refusal:
            # The contract requires status 500 and a plain text here.
            detail = refusal.message.in_language(response_language(request, caller))
            return error_response(ErrorFormat.TEXT, request, 500, detail)
        return text_response(200, "Delete completed")

    get = Operation(
        read_member,
        "readMember",
        "One member: yourself, or any member for administrators.",
        {200: ResponseSpec("The member.", shapes.single), 404: UNKNOWN_MEMBER},
    )
    put = Operation(
        update_member,
        "updateMember",
        "Change fields of a member: your own fields except username, profile, and disabled, "
        "or any field for administrators. A field with its current value is not a change. Your own new email "
        "address takes effect when you confirm it through a mailed link. Until then, GET shows it as "
        "pendingEmail. Your own new password or email address requires your current password, or if you have "
        "none, a sign-in within the last 10 minutes. So does a password or email address of others. "
        "The parameter `format` applies to the body of the request; responses are plain text.",
        {
            200: ResponseSpec("`Update Complete`", "text/plain"),
            404: UNKNOWN_MEMBER,
            409: ResponseSpec(f"{NAME_TAKEN}, or there is no other administrator."),
            429: ResponseSpec(
                "Too many failed sign-in attempts, too many emails to confirm an address, "
                "or too many requests."
            ),
            503: ResponseSpec("The service is busy, or no email could be sent to a new email address."),
        },
        shapes.changes,
        authorize=lambda request, caller: require_self_or_administrator(
            caller, requested_id(request), ONLY_ADMINISTRATORS_CHANGE
        ),
        error_format=ErrorFormat.TEXT,
    )
    delete = Operation(
        delete_member,
        "deleteMember",
        "Delete a member; for administrators. Responses are plain text.",
        {
            200: ResponseSpec("`Delete completed`", "text/plain"),
            500: ResponseSpec(
                "The member does not exist or is the last administrator, or the service failed."
            ),
        },
        error_format=ErrorFormat.TEXT,
    )
    return Endpoint({"GET": get, "PUT": put, "DELETE": delete}, MEMBER_PARAMETER)


def current_member_endpoint(members: MemberOperations, shapes: MemberShapes) -> Endpoint:
    """Return the endpoint that shows the member who sends the request."""

    def read_current_member(request: Request, caller: Caller | None) -> Response:
        caller = require_caller(caller)
        member = members.read(caller, caller.id)
        return body_response(request, 200, shapes.current, shapes.render_member(shapes.current, member))

    operation = Operation(
        read_current_member,
        "readCurrentMember",
        "The member who sends the request.",
        {
            200: ResponseSpec("The member who sends the request.", shapes.current),
            404: UNKNOWN_MEMBER,
        },
    )
    return Endpoint({"GET": operation})
