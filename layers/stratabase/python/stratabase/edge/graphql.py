"""The GraphQL endpoint, as the GraphQL-over-HTTP specification wants it."""

from stratabase.domain.member import Caller
from stratabase.edge import application, media_type
from stratabase.edge import graphql_operation as definition
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.graphql_operation import LEGACY, MODERN
from stratabase.edge.graphql_request import GraphQLRequest, from_body, from_query
from stratabase.edge.refusals import MethodNotAllowed, NotAcceptable
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.operations.executor import Answer, Executor, QueriesOnly


def graphql_endpoint(name: str, executor: Executor) -> Endpoint:
    """Return the endpoint at which the application `name` answers GraphQL requests."""

    def get(request: Request, caller: Caller | None) -> Response:
        media = _media(request, name)
        try:
            return _response(
                _execute(executor, request, caller, from_query(request), queries_only=True), media
            )
        except QueriesOnly:
            raise MethodNotAllowed("A mutation must be sent by POST.", ("POST",)) from None

    def post(request: Request, caller: Caller | None) -> Response:
        media = _media(request, name)
        return _response(_execute(executor, request, caller, from_body(request)), media)

    operations = {"GET": definition.by_get(get), "POST": definition.by_post(post)}
    parameters = application.parameter(name)
    return Endpoint("/auth/api/graphql/{application}", operations, parameters=parameters)


def _media(request: Request, name: str) -> str:
    """Return the media type in which to answer, if there is anybody to answer at all."""
    application.require(request, name)
    accept = ",".join(request.headers.get("accept", ()))
    # A client that does not know the modern type may not know that its errors come with another status.
    media = media_type.chosen(accept, (MODERN, LEGACY) if MODERN in accept.lower() else (LEGACY, MODERN))
    if media is None:
        raise NotAcceptable(f"The answer can be {MODERN} or {LEGACY}; Accept must admit one of them.")
    return media


def _execute(
    executor: Executor,
    request: Request,
    caller: Caller | None,
    asked: GraphQLRequest,
    *,
    queries_only: bool = False,
) -> Answer:
    assert caller is not None, "the front door lets nobody in without credentials"
    return executor.execute(
        asked.query,
        asked.variables,
        asked.operation_name,
        caller,
        request.trace_id,
        queries_only=queries_only,
    )


def _response(answer: Answer, media: str) -> Response:
    # The specification: in the legacy type, a request that was understood gets 200 whatever is in the answer.
    status = 200 if answer.began or media == LEGACY else 400
    headers = (("Content-Type", f"{media}; charset=utf-8"),)
    return Response(status, headers, answer.body, wrote=answer.mutated)
