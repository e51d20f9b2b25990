"""What the GraphQL endpoint takes and answers, over HTTP."""

from collections.abc import Mapping

from stratabase.edge import application
from stratabase.edge.operation import Act, Manner, Operation, Parameter, Told
from stratabase.edge.shape import Field, Shape

MODERN = "application/graphql-response+json"
LEGACY = "application/json"

_ASKED = Shape(
    "request",
    {
        "query": Field("A GraphQL document.", required=True, example="{ __typename }"),
        "variables": Field("Values for its variables.", "object", nullable=True),
        "operationName": Field("Which of its operations is meant.", nullable=True),
        "extensions": Field("Not used.", "object", nullable=True),
    },
    open=True,
)
_RESULT = Shape(
    "response",
    {
        "data": Field("What was asked for.", "object", nullable=True),
        "errors": Field("What went wrong.", "array"),
        "extensions": Field("What else there is to say.", "object"),
    },
)
_BOTH = {MODERN: _RESULT, LEGACY: _RESULT}
_QUERY = {
    "query": Parameter("A GraphQL document that only queries.", required=True, example="{ __typename }"),
    "variables": Parameter("Values for its variables, a JSON object."),
    "operationName": Parameter("Which of its operations is meant."),
    "extensions": Parameter("A JSON object. Not used."),
}
_ANSWERS: Mapping[int, Told] = {
    200: Told("The document was understood; there may be errors beside data.", _BOTH),
    400: Told("The document or the request is not understood.", {MODERN: _RESULT}),
    404: application.UNKNOWN,
    406: Told("The client accepts none of the media types of the answer."),
    413: Told("The answer is too large; ask for smaller pages."),
}


def by_get(act: Act) -> Operation:
    """Return the operation that answers a query in the address."""
    about = "Query the data of an application."
    answers = {**_ANSWERS, 405: Told("A mutation must be sent by POST.", headers={"Allow": "POST."})}
    return Operation(
        act, "query", about, answers, query=_QUERY, refuses=Manner.JSON, formatted=False, largest=None
    )


def by_post(act: Act) -> Operation:
    """Return the operation that answers a document in the body."""
    about = "Query and change the data of an application."
    answers = {**_ANSWERS, 415: Told("The body is not JSON in UTF-8.")}
    body = {"application/json": _ASKED}
    return Operation(act, "execute", about, answers, body, refuses=Manner.JSON, formatted=False, largest=None)
