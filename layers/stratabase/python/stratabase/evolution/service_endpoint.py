"""The endpoint that tells administrators about the running service."""

from collections.abc import Callable
from typing import Any

import orjson

from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.http.base.body import require_json
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.values.messages import _

_ONLY_ADMINISTRATORS = _("Only administrators can read about the service.")
_JSON = "application/json"
_HEALTH = Shape(
    "health",
    {
        "store": Field("`reachable` or `unreachable`.", required=True, example="reachable"),
        "keys": Field("`unreadable` if the keys that sign tokens can't be read."),
        "stopping": Field("True if the service is about to stop.", "boolean"),
    },
    name="ServiceHealth",
)
_STORE = Shape(
    "store",
    {
        "kind": Field("What it stores.", required=True, values=("objects", "members", "files")),
        "setting": Field("The setting that selects it.", required=True, example="STRATABASE_HOME"),
        "place": Field("The folder, the table or the bucket.", required=True),
        "instance": Field("The ID of the instance that owns the objects."),
        "layout": Field("The layout of the objects.", "integer"),
    },
    name="ServiceStore",
)
_INDEX = Shape(
    "index",
    {
        "class": Field("The class.", required=True, example="Employee"),
        "name": Field("The index, the constraint or the role.", required=True, example="@unique(email)"),
        "state": Field(
            "Whether it has all objects. A role is only listed if it doesn't.",
            required=True,
            values=("BUILDING", "ENFORCED", "READY", "RETIRED", "CLEARING"),
        ),
        "since": Field("When it entered this state.", format="date-time"),
        "builtObjects": Field(
            "How many objects of the class a build has read so far, if one is under way.", "integer"
        ),
    },
    name="ServiceIndex",
)
_SETTING = Shape(
    "setting",
    {
        "name": Field("The environment variable.", required=True, example="STRATABASE_STORE"),
        "description": Field("What it means.", required=True),
        "value": Field("The value. That of a secret is left out.", nullable=True, example="sqlite"),
        "isDefault": Field("Whether the value is the default. It is left out for a secret.", "boolean"),
        "isSet": Field("Whether a secret is set.", "boolean"),
    },
    name="ServiceSetting",
)
_CHANGE = Shape(
    "change",
    {
        "severity": Field("How urgent it is.", required=True, values=("DECISION", "REINDEX", "SAFE")),
        "subject": Field("What has changed.", required=True, example="Employee.phone"),
        "change": Field("The change.", required=True, example="added"),
        "reason": Field("Why it matters.", required=True),
        "toDo": Field("What to do.", required=True),
    },
    name="ServiceChange",
)
_COMPARISON = Shape(
    "comparison",
    {
        "previous": Field(
            "True for the model that served before. Otherwise, it is one that serves.",
            "boolean",
            required=True,
        ),
        "lastSeen": Field("When it served last, to the hour.", required=True, format="date-time"),
        "changes": Field(
            "What has changed from it to the present model file.", "array", required=True, items=_CHANGE
        ),
    },
    name="ServiceComparison",
)
_MODEL = Shape(
    "model",
    {
        "file": Field("The model file.", required=True),
        "text": Field("The text of the model that serves.", required=True, nullable=True),
        "comparisons": Field("What `stratabase model diff` says.", "array", required=True, items=_COMPARISON),
        "problem": Field(
            "Why the models can't be compared: mistakes in one of them, or a store that can't be reached."
        ),
    },
    name="ServiceModel",
)
_SERVICE = Shape(
    "service",
    {
        "version": Field("The version of the service.", required=True, example="0.1.0"),
        "application": Field("The name of the application.", required=True, example="Hr"),
        "health": Field("Whether it is ready.", "object", required=True, shape=_HEALTH),
        "stores": Field("Where it stores what.", "array", required=True, items=_STORE),
        "indexes": Field(
            "The indexes and constraints of the model. Null if the store can't be reached.",
            "array",
            required=True,
            nullable=True,
            items=_INDEX,
        ),
        "settings": Field("The settings in force.", "array", required=True, items=_SETTING),
        "model": Field("The model.", "object", required=True, shape=_MODEL),
    },
    name="ServiceReport",
)


def service_endpoint(report: Callable[[], dict[str, Any]]) -> Endpoint:
    """Return the endpoint that shows the report of the service, which `report` returns as JSON."""

    def read_service(request: Request, _caller: Caller | None) -> Response:
        require_json(request)
        headers = (("Content-Type", _JSON), ("Cache-Control", "no-store"))
        return Response(200, headers, orjson.dumps(report()))

    operation = Operation(
        read_service,
        "readService",
        "The version, stores, indexes, settings and model of the service; for administrators.",
        {200: ResponseSpec("The report of the process that answers.", {_JSON: _SERVICE})},
        query={"format": Parameter("`json`, which is the default. There is no other format.")},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
        authorize=lambda _request, caller: require_administrator(caller, _ONLY_ADMINISTRATORS),
    )
    return Endpoint({"GET": operation})
