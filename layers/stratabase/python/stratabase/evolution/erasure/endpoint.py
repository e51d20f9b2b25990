"""The endpoint by which administrators erase an object."""

from collections.abc import Callable
from typing import Any

import orjson

from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.values.messages import _

_ONLY_ADMINISTRATORS = _("Only administrators can erase objects.")
_JSON = "application/json"
_REMOVED = Shape(
    "removed",
    {
        "objects": Field("The object and its parts.", "integer", example=1),
        "versions": Field("Closed versions.", "integer", example=3),
        "files": Field("Files, with all versions of their bytes.", "integer"),
        "links": Field("Present and former links of other objects to them.", "integer"),
        "uniqueValues": Field("Reserved unique values and one-to-one targets.", "integer"),
        "references": Field("Present references of other objects, which are null now.", "integer"),
        "answers": Field("Kept answers of requests with an Idempotency-Key.", "integer"),
    },
    name="ErasedNumbers",
)
_REFERENCE = Shape(
    "reference",
    {
        "class": Field("The class.", required=True, example="Invoice"),
        "id": Field("The `_id`.", required=True),
    },
    name="ErasureReference",
)
_COPY = Shape(
    "copy",
    {
        "kind": Field(
            "What the service can't reach.",
            required=True,
            values=("POINT_IN_TIME_RECOVERY", "TABLE_BACKUPS", "BACKUPS", "EXPORTS"),
        ),
        "until": Field(
            "When it ends. If null, it ends when you delete it.",
            required=True,
            nullable=True,
            format="date-time",
        ),
    },
    name="ErasureCopy",
)
_RECEIPT = Shape(
    "erasure",
    {
        "class": Field("The class.", required=True, example="Employee"),
        "id": Field("The `_id` of the object.", required=True),
        "complete": Field(
            "Whether nothing is left. If false, a job goes on: repeat the request for the final receipt.",
            "boolean",
            required=True,
        ),
        "erasedOn": Field("When the erasure began.", required=True, format="date-time"),
        "removed": Field(
            "How much was erased so far. Left out is what is 0.", "object", required=True, shape=_REMOVED
        ),
        "references": Field(
            "Objects with closed versions that still have the `_id` of the object or one of its parts, at "
            "most 100.",
            "array",
            required=True,
            items=_REFERENCE,
        ),
        "hasMoreReferences": Field("Whether there are more of them.", "boolean", required=True),
        "copies": Field(
            "Copies that can still have the object: an import and a restore leave it out.",
            "array",
            required=True,
            items=_COPY,
        ),
    },
    name="Erasure",
)


def erasure_endpoint(erase: Callable[[Reference, Caller], dict[str, Any]]) -> Endpoint:
    """Return the endpoint that erases an object. `erase` does as much as its time allows.

    It returns the receipt as JSON.
    """

    def erase_object(request: Request, caller: Caller | None) -> Response:
        parameters = request.parameters
        receipt = erase(Reference(parameters["class"], parameters["id"]), require_caller(caller))
        headers = (("Content-Type", _JSON), ("Cache-Control", "no-store"))
        return Response(200 if receipt["complete"] else 202, headers, orjson.dumps(receipt))

    operation = Operation(
        erase_object,
        "eraseObject",
        "Erase an object, deleted or not, with its parts, versions and files; for administrators.",
        {
            200: ResponseSpec("The receipt: nothing is left.", {_JSON: _RECEIPT}),
            202: ResponseSpec("The receipt so far. The erasure goes on.", {_JSON: _RECEIPT}),
            404: ResponseSpec("There is no such class or object, and never was."),
            409: ResponseSpec("Another object requires it, or another member has locked it."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
        authorize=lambda _request, caller: require_administrator(caller, _ONLY_ADMINISTRATORS),
    )
    parameters = {
        "class": Parameter("A class of the model.", example="Employee"),
        "id": Parameter("The `_id` of the object."),
    }
    return Endpoint({"DELETE": operation}, parameters)
