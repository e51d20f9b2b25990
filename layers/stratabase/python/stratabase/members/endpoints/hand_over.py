"""The endpoint that transfers the objects of one owner to another member."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response, read_body
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.members.endpoints.members import UNKNOWN_MEMBER, requested_id
from stratabase.members.operations.rules import ONLY_ADMINISTRATORS_HAND_OVER

if TYPE_CHECKING:
    from stratabase.members.operations.hand_over import HandOverResult

_REQUEST = Shape(
    "handOver",
    {
        "to": Field("The ID of the new owner.", required=True),
        "class": Field("The class whose objects are handed over. Default: all classes."),
    },
    name="HandOver",
)
_RESULT = Shape(
    "handOver",
    {
        "complete": Field(
            "Whether everything was handed over. If false, the time ran out: repeat the request to continue.",
            "boolean",
            required=True,
        ),
        "handedOver": Field("The number of objects that were handed over.", "integer", required=True),
        "locked": Field(
            "The number of objects that keep their owner because others have locked them.",
            "integer",
            required=True,
        ),
        "refused": Field(
            "The number of objects that keep their owner because they can't be saved, for example "
            "because of a blocking warning or their size.",
            "integer",
            required=True,
        ),
    },
    name="HandedOver",
)


def hand_over_endpoint(hand_over: Callable[[Caller, str, str, str | None], "HandOverResult"]) -> Endpoint:
    """Return the endpoint that transfers the ownership of objects.

    `hand_over(caller, from_id, to_id, class_name)` transfers the objects. A `class_name` of None means all
    classes.
    """

    def hand_over_objects(request: Request, caller: Caller | None) -> Response:
        fields = read_body(request, _REQUEST)
        result = hand_over(require_caller(caller), requested_id(request), fields["to"], fields.get("class"))
        counts = {"handedOver": result.handed_over, "locked": result.locked, "refused": result.refused}
        return body_response(request, 200, _RESULT, {"complete": result.complete, **counts})

    operation = Operation(
        hand_over_objects,
        "handOver",
        "Hand over the objects of a member to another member; for administrators.",
        {
            200: ResponseSpec("What this request did.", _RESULT),
            404: ResponseSpec(f"{UNKNOWN_MEMBER.description} No object has such an owner."),
        },
        _REQUEST,
        authorize=lambda _request, caller: require_administrator(caller, ONLY_ADMINISTRATORS_HAND_OVER),
    )
    owner = Parameter("The ID of the owner, who can be a deleted member.")
    return Endpoint({"POST": operation}, {"id": owner})
