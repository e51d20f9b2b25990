"""The address that hands what a member owns over to another."""

from typing import Protocol

from stratabase.domain.member import Caller
from stratabase.http_api.admin.member_shapes import MEMBERS_ADDRESS
from stratabase.http_api.admin.members import UNKNOWN_MEMBER, member_id
from stratabase.http_api.auth.authentication import require_caller
from stratabase.http_api.http import body
from stratabase.http_api.http.body import body_response
from stratabase.http_api.http.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.shape import Field, Shape
from stratabase.operations.members.handing_over import HandedOver
from stratabase.operations.members.rights import must_administrate

_GIVEN = Shape(
    "handOver",
    {
        "to": Field("The id of the member who is the owner from now on.", required=True),
        "class": Field("The class whose objects are handed over; all classes without it."),
    },
    name="HandOver",
)
_DONE = Shape(
    "handOver",
    {
        "complete": Field(
            "Whether all was done. Otherwise the time was over: send the request again to go on.",
            "boolean",
            required=True,
        ),
        "handedOver": Field("How many objects have another owner now.", "integer", required=True),
        "locked": Field("How many keep their owner since others have locked them.", "integer", required=True),
        "refused": Field(
            "How many keep their owner since they cannot be written, such as one that would be too large.",
            "integer",
            required=True,
        ),
    },
    name="HandedOver",
)
_FROM = {"id": Parameter("What identifies the owner, who may be a member that was deleted.")}


class HandOver(Protocol):
    """Hands the objects of the member with an id over, on behalf of a caller."""

    def __call__(self, caller: Caller, from_: str, to: str, class_name: str | None = None) -> HandedOver:
        """Hand over what is owned in one class, or in all."""


def hand_over_endpoint(hand_over: HandOver) -> Endpoint:
    """Return the endpoint."""

    def act(request: Request, caller: Caller | None) -> Response:
        given = body.read_body(request, _GIVEN)
        done = hand_over(require_caller(caller), member_id(request), given["to"], given.get("class"))
        counts = {"handedOver": done.handed_over, "locked": done.locked, "refused": done.refused}
        return body_response(request, 200, _DONE, {"complete": done.complete, **counts})

    about = "Hand what a member owns over to another; for administrators."
    answers = {
        200: ResponseSpec("What this request has done.", _DONE),
        404: ResponseSpec(f"{UNKNOWN_MEMBER.description} No object tells of such an owner."),
    }
    operation = Operation(
        act,
        "handOver",
        about,
        answers,
        _GIVEN,
        authorize=lambda _, caller: must_administrate(caller, "hand objects over"),
    )
    return Endpoint(f"{MEMBERS_ADDRESS}/{{id}}/handOver", {"POST": operation}, parameters=_FROM)
