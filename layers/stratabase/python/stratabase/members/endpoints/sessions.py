"""The endpoints that list and end the sessions of a member."""

from collections.abc import Callable, Sequence
from typing import Protocol

from stratabase.core.domain.caller import Caller, SentToken
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.members.credentials import Session
from stratabase.members.endpoints.members import MEMBER_PARAMETER, UNKNOWN_MEMBER, requested_id
from stratabase.members.operations.rules import require_self_or_administrator
from stratabase.members.operations.sessions import ONLY_ADMINISTRATORS_SEE

_SESSION = Shape(
    "session",
    {
        "id": Field("The ID of the session, which is the claim `sid` of its tokens.", required=True),
        "since": Field("When the member signed in.", required=True, format="date-time"),
        "renewed": Field("When the last token was issued.", required=True, format="date-time"),
        "way": Field(
            "How the member signed in: `password`, or the name of an identity provider.",
            required=True,
            example="password",
        ),
        "device": Field(
            "The browser and the operating system, or the program. Empty if they are unknown.",
            required=True,
            example="Firefox on Linux",
        ),
        "address": Field("The IP address of the sign-in.", required=True, example="192.0.2.7"),
        "current": Field("Whether the request belongs to this session.", "boolean", required=True),
    },
    name="Session",
)
_SESSIONS = ListShape("sessions", _SESSION)
_STALE = ResponseSpec(
    "Credentials missing or wrong; or an administrator must sign in again to end sessions of others, as the "
    "challenge `insufficient_user_authentication` says.",
    headers={"WWW-Authenticate": "The supported schemes, or the challenge."},
)


class SessionEnds(Protocol):
    """Ends sessions of members. Each function takes the caller and the ID of the member."""

    @property
    def one(self) -> Callable[[Caller, str, str], None]:
        """A function that ends the session with an ID."""

    @property
    def all(self) -> Callable[[Caller, str], None]:
        """A function that ends all sessions."""


def _authorize(request: Request, caller: Caller) -> None:
    require_self_or_administrator(caller, requested_id(request), ONLY_ADMINISTRATORS_SEE)


def sessions_endpoint(
    list_sessions: Callable[[Caller, str], Sequence[Session]], ends: SessionEnds
) -> Endpoint:
    """Return the endpoint that lists the sessions of a member, and ends all of them.

    `list_sessions(caller, id)` returns the sessions.
    """

    def read(request: Request, caller: Caller | None) -> Response:
        caller = require_caller(caller)
        own = caller.proof.session if isinstance(caller.proof, SentToken) else ""
        found = list_sessions(caller, requested_id(request))
        return body_response(request, 200, _SESSIONS, [_render(each, own) for each in found])

    def end_all(request: Request, caller: Caller | None) -> Response:
        ends.all(require_caller(caller), requested_id(request))
        return Response(204)

    get = Operation(
        read,
        "listSessions",
        "The sessions of a member: your own, or those of any member for administrators.",
        {
            200: ResponseSpec("The sessions, the one that was renewed last first.", _SESSIONS),
            404: UNKNOWN_MEMBER,
        },
        authorize=_authorize,
    )
    delete = Operation(
        end_all,
        "endSessions",
        "End all sessions of a member: your own, or those of any member for administrators. Their tokens are "
        "refused within 3 seconds.",
        {204: ResponseSpec("The sessions have ended."), 401: _STALE, 404: UNKNOWN_MEMBER},
        authorize=_authorize,
    )
    return Endpoint({"GET": get, "DELETE": delete}, MEMBER_PARAMETER)


def session_endpoint(ends: SessionEnds) -> Endpoint:
    """Return the endpoint that ends one session of a member."""

    def end(request: Request, caller: Caller | None) -> Response:
        ends.one(require_caller(caller), requested_id(request), request.parameters.get("session", ""))
        return Response(204)

    operation = Operation(
        end,
        "endSession",
        "End a session of a member: your own to sign out, or that of any member for administrators. Its "
        "tokens are refused within 3 seconds.",
        {
            204: ResponseSpec("The session has ended."),
            401: _STALE,
            404: ResponseSpec("The member does not exist, or has no such session any more."),
        },
        authorize=_authorize,
    )
    parameters = {**MEMBER_PARAMETER, "session": Parameter("The ID of the session.")}
    return Endpoint({"DELETE": operation}, parameters)


def _render(session: Session, own: str) -> dict[str, object]:
    return {
        "id": session.id,
        "since": format_instant(session.since),
        "renewed": format_instant(session.renewed),
        "way": session.way,
        "device": session.device,
        "address": session.address,
        "current": session.id == own,
    }
