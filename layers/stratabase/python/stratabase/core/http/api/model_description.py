"""The endpoint that describes the model as far as the caller may use it, for clients of any model."""

from collections.abc import Callable

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden, Refused
from stratabase.core.http.api.graphql import (
    PLAIN_JSON,
    UNKNOWN_APPLICATION,
    application_parameter,
    require_application,
)
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import require_json
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.preconditions import cacheable_response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.values.folding import FOLDINGS

_EXTENTS = ("always", "sometimes", "never")
_NAME = Field("The name in the model.", required=True, example="Employee")
_TEXT = Field("The description in the model.")


def _extent(description: str) -> Field:
    return Field(description, required=True, values=_EXTENTS)


_USE = {
    "readable": _extent("Of which objects that the caller sees it shows a value, or may be followed."),
    "creatable": _extent("In which objects that the caller creates it may be set."),
    "editable": _extent("In which objects that the caller edits it may be set."),
}
_VALUE = Shape("value", {"name": _NAME, "description": _TEXT}, name="ModelValue")
_DERIVATION = Shape(
    "derivation",
    {
        "expression": Field("An expression in CEL."),
        "path": Field("The names of roles and of an attribute, with dots between them.", example="team.name"),
        "aggregate": Field("What is made of the values at the end of the path.", example="COUNT"),
    },
    name="ModelDerivation",
)
_ATTRIBUTE = Shape(
    "attribute",
    {
        "name": _NAME,
        "description": _TEXT,
        "type": Field("The type in the model, or the name of an enum.", required=True, example="String"),
        "values": Field("The values of the enum.", "array", items=_VALUE),
        "required": Field("Whether an object must have a value.", "boolean", required=True),
        "default": Field("The value of an object that has none, as text.", example="0"),
        "domain": Field("The arguments of `@domain`.", "object", example={"maxLength": 80}),
        "compare": Field(
            "How texts are compared, unless by code point.", values=tuple(each.name for each in FOLDINGS)
        ),
        "file": Field("The arguments of `@file`.", "object", example={"extensions": ["pdf"]}),
        "derived": Field("Whether it is computed on each read.", "boolean", required=True),
        "derivation": Field("How it is computed. Only administrators see it.", "object", shape=_DERIVATION),
        "unique": Field("Whether no two objects have the same value.", "boolean", required=True),
        **_USE,
    },
    name="ModelAttribute",
)
_ROLE = Shape(
    "role",
    {
        "name": _NAME,
        "description": _TEXT,
        "target": Field("The class that it leads to.", required=True, example="Team"),
        "kind": Field(
            "Whether it leads to objects of their own, to parts, or from a part to its whole.",
            required=True,
            values=("ASSOCIATION", "COMPOSITION", "WHOLE"),
        ),
        "opposite": Field("The role of the target that leads back.", example="members"),
        "min": Field("The least number of objects: 0 or 1.", "integer", required=True),
        "max": Field("1, or nothing if the role leads to many objects.", "integer"),
        "order": Field("The order of many objects, unless `orderBy` says otherwise.", example="_id___ASC"),
        "key": Field("Whether the object itself holds the key of the target.", "boolean", required=True),
        **_USE,
    },
    name="ModelRole",
)
_WARNING = Shape(
    "warning",
    {
        "name": _NAME,
        "message": Field("The message. Only administrators see it here."),
        "blocking": Field("Whether it always stops a write. Only administrators see it.", "boolean"),
        "condition": Field("The condition in CEL. Only administrators see it."),
    },
    name="ModelWarning",
)
_NAMES = Field("A name.")
_CLASS = Shape(
    "class",
    {
        "name": _NAME,
        "description": _TEXT,
        "group": Field("The heading under which to list the class, if the model says one."),
        "kind": Field(
            "How many objects the class has.",
            required=True,
            values=("ORDINARY", "SINGLETON", "FORM", "USERS"),
        ),
        "versioned": Field("Whether former versions are kept.", "boolean", required=True),
        "exposed": Field("Whether the class has services of its own.", "boolean", required=True),
        "read": _extent("Which objects the caller sees."),
        "create": _extent("Whether the caller may create objects."),
        "edit": _extent("Which objects the caller may edit, at least in part."),
        "delete": _extent("Which objects the caller may delete."),
        "label": _extent("Of which objects `_label` is not always null."),
        "labelExpression": Field("The label in CEL. Only administrators see it."),
        "labelOf": Field(
            "The attributes and roles that the label is made of. Empty if the caller never sees it.",
            "array",
            required=True,
            items=_NAMES,
        ),
        "platformAttributes": Field(
            "The attributes that Stratabase writes.", "array", required=True, items=_NAMES
        ),
        "partOf": Field(
            "The classes of the wholes that its objects are parts of.", "array", required=True, items=_NAMES
        ),
        "uniques": Field(
            "The attributes and roles that are unique together.",
            "array",
            required=True,
            items=Field("Their names.", "array", items=_NAMES),
        ),
        "attributes": Field("What the caller may read or set.", "array", required=True, items=_ATTRIBUTE),
        "roles": Field("What the caller may follow or set.", "array", required=True, items=_ROLE),
        "warnings": Field("The warnings of writes.", "array", required=True, items=_WARNING),
        "services": Field("The fields of Query and Mutation.", "array", required=True, items=_NAMES),
    },
    name="ModelClass",
)
_PROFILE = Shape(
    "DescribedProfile",
    {
        "name": Field("The name of the profile.", required=True, example="Administrator"),
        "administrator": Field("Whether its members are administrators.", "boolean", required=True),
        "narrower": Field("The profiles that lie within it.", "array", required=True, items=_NAMES),
    },
)
_MODEL = Shape(
    "model",
    {
        "application": Field("The name of the application.", required=True, example="Hr"),
        "profile": Field("The profile of the caller.", required=True, example="Administrator"),
        "administrator": Field("Whether the profile is an administrator's.", "boolean", required=True),
        "profiles": Field(
            "The profile of the caller. For administrators, all profiles of the model.",
            "array",
            required=True,
            items=_PROFILE,
        ),
        "classes": Field("The classes that the caller may use.", "array", required=True, items=_CLASS),
    },
)


def model_description_endpoint(
    application: str, describe: Callable[[Caller], bytes], authorize: Callable[[Caller], None]
) -> Endpoint:
    """Return the endpoint that describes the model of an application.

    `describe` returns the description for a caller in JSON. It raises Refused for a caller who may use no
    service. `authorize` raises Forbidden for callers who may do nothing in the application.
    """

    def read_model(request: Request, caller: Caller | None) -> Response:
        require_application(request, application)
        require_json(request)
        try:
            content = describe(require_caller(caller))
        except Refused as refusal:
            raise Forbidden(refusal.message) from None
        return cacheable_response(request, PLAIN_JSON, content, "private, no-cache")

    tag = {"ETag": "Changes with the model and the profile."}
    operation = Operation(
        read_model,
        "readModel",
        "The classes, attributes and roles of an application, as far as the caller may use them.",
        {
            200: ResponseSpec("The description. What says nothing is left out.", {PLAIN_JSON: _MODEL}, tag),
            304: ResponseSpec("The description has not changed.", headers=tag),
            404: UNKNOWN_APPLICATION,
        },
        query={"format": Parameter("`json`, which is the default. There is no other format.")},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
        authorize=lambda _, caller: authorize(caller),
    )
    return Endpoint({"GET": operation}, application_parameter(application))
