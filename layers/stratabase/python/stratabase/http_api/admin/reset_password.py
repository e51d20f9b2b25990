"""The address that mails a member a link to set a password anew."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Forbidden, Unauthenticated
from stratabase.http_api.admin.member_shapes import MEMBERS_ADDRESS
from stratabase.http_api.admin.members import MEMBER_PARAMETER, UNKNOWN_MEMBER, member_id
from stratabase.http_api.auth.authentication import require_caller
from stratabase.http_api.http.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.http_api.http.messages import Request, Response

_ANSWERS = {
    205: ResponseSpec("A mail with a link is on its way to the member."),
    401: ResponseSpec(
        "There are no good credentials, or the caller may not do this, or the member is disabled.",
        headers={"WWW-Authenticate": "The schemes on offer, where credentials are missing or wrong."},
    ),
    404: UNKNOWN_MEMBER,
    503: ResponseSpec(
        "Nobody takes the mail just now.", headers={"Retry-After": "When to try again, in seconds."}
    ),
}


def reset_password_endpoint(start: Callable[[Caller, str, str], None]) -> Endpoint:
    """Return the endpoint; `start` mails a member, on a caller's behalf, a link below an address."""

    def reset(request: Request, caller: Caller | None) -> Response:
        try:
            start(require_caller(caller), member_id(request), request.base_url)
        except Forbidden as refusal:
            # service.md section 7: a reset that is rejected answers 401, whatever the reason.
            raise Unauthenticated(str(refusal)) from refusal
        return Response(205)

    about = "Mail a member a link to set a password anew, which is good once and for an hour."
    operations = {"GET": Operation(reset, "resetPassword", about, _ANSWERS)}
    return Endpoint(
        f"{MEMBERS_ADDRESS}/{{id}}/resetPassword", operations, head=False, parameters=MEMBER_PARAMETER
    )
