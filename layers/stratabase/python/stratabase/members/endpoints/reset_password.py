"""The endpoint that mails a member a link to set a new password."""

from collections.abc import Callable

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.members.endpoints.members import MEMBER_PARAMETER, UNKNOWN_MEMBER, requested_id


def reset_password_endpoint(send_link: Callable[[Caller, str, str], None]) -> Endpoint:
    """Return the endpoint that mails a password link. `send_link(caller, member_id, base_url)` mails it."""

    def reset_password(request: Request, caller: Caller | None) -> Response:
        try:
            send_link(require_caller(caller), requested_id(request), request.base_url)
        except Forbidden as refusal:
            # The contract requires 401 for every rejected reset, not 403.
            raise Unauthenticated(refusal.message) from refusal
        return Response(205)

    operation = Operation(
        reset_password,
        "resetPassword",
        "Mail a member a link to set a new password, as an administrator. It works once and for one hour.",
        {
            400: ResponseSpec("The member is a program, or the mail server takes no email for the address."),
            205: ResponseSpec("An email with a link is on its way to the member."),
            401: ResponseSpec(
                "Credentials missing or wrong, the caller isn't an administrator, or the member is disabled.",
                headers={"WWW-Authenticate": "The supported schemes, if credentials are missing or wrong."},
            ),
            404: UNKNOWN_MEMBER,
            503: ResponseSpec(
                "The email can't be sent right now.",
                headers={"Retry-After": "When to try again, in seconds."},
            ),
        },
    )
    return Endpoint({"GET": operation}, MEMBER_PARAMETER, head=False)
