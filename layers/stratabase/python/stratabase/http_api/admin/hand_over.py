"""The endpoint that hands what a member owns over to another."""

from collections.abc import Callable

from stratabase.domain.members.member import Caller
from stratabase.http_api.admin.members import UNKNOWN_MEMBER, member_id
from stratabase.http_api.auth.authentication import require_caller
from stratabase.http_api.http.body import body_response, read_body
from stratabase.http_api.http.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.shape import Field, Shape
from stratabase.operations.members.hand_over import HandOverResult
from stratabase.operations.members.rules import require_administrator

_REQUEST = Shape(
    "handOver",
    {
        "to": Field("The id of the member who is the owner from now on.", required=True),
        "class": Field("The class whose objects are handed over; all classes without it."),
    },
    name="HandOver",
)
_RESULT = Shape(
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


def hand_over_endpoint(hand_over: Callable[[Caller, str, str, str | None], HandOverResult]) -> Endpoint:
    """Return the endpoint. `hand_over(caller, from_id, to_id, class_name)` hands over; None: all classes."""

    def hand_over_objects(request: Request, caller: Caller | None) -> Response:
        fields = read_body(request, _REQUEST)
        result = hand_over(require_caller(caller), member_id(request), fields["to"], fields.get("class"))
        counts = {"handedOver": result.handed_over, "locked": result.locked, "refused": result.refused}
        return body_response(request, 200, _RESULT, {"complete": result.complete, **counts})

    operation = Operation(
        hand_over_objects,
        "handOver",
        "Hand what a member owns over to another; for administrators.",
        {
            200: ResponseSpec("What this request has done.", _RESULT),
            404: ResponseSpec(f"{UNKNOWN_MEMBER.description} No object tells of such an owner."),
        },
        _REQUEST,
        authorize=lambda _, caller: require_administrator(caller, "hand objects over"),
    )
    owner = Parameter("What identifies the owner, who may be a member that was deleted.")
    return Endpoint({"POST": operation}, {"id": owner})
