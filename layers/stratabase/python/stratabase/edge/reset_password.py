"""The address that mails a member a link to set a password anew."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Forbidden, Unauthenticated
from stratabase.edge.administration import ADDRESS, MEMBER, UNKNOWN, id_in, known
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.operation import Operation, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response

_ANSWERS = {
    205: Told("A mail with a link is on its way to the member."),
    401: Told(
        "There are no good credentials, or the caller may not do this, or the member is disabled.",
        headers={"WWW-Authenticate": "The schemes on offer, where credentials are missing or wrong."},
    ),
    404: UNKNOWN,
    503: Told("Nobody takes the mail just now.", headers={"Retry-After": "When to try again, in seconds."}),
}


def reset_password_endpoint(start: Callable[[Caller, str, str], None]) -> Endpoint:
    """Return the endpoint; `start` mails a member, on a caller's behalf, a link below an address."""

    def reset(request: Request, caller: Caller | None) -> Response:
        try:
            start(known(caller), id_in(request), request.base_url)
        except Forbidden as refusal:
            # service.md section 7: a reset that is rejected answers 401, whatever the reason.
            raise Unauthenticated(str(refusal)) from refusal
        return Response(205)

    about = "Mail a member a link to set a password anew, which is good once and for an hour."
    operations = {"GET": Operation(reset, "resetPassword", about, _ANSWERS)}
    return Endpoint(f"{ADDRESS}/{{id}}/resetPassword", operations, head=False, parameters=MEMBER)
