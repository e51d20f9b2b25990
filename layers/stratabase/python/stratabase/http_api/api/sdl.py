"""The GraphQL schema of an application, as text."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.http_api.api import graphql
from stratabase.http_api.http.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.http_api.http.messages import Request, Response

_ANSWERS = {
    200: ResponseSpec("The schema in GraphQL's schema language.", "text/plain"),
    404: graphql.UNKNOWN_APPLICATION,
}


def sdl_endpoint(name: str, sdl: Callable[[], str]) -> Endpoint:
    """Return the endpoint that shows the schema of the application `name`."""

    def show(request: Request, _: Caller | None) -> Response:
        graphql.require_application(request, name)
        return Response(200, (("Content-Type", "text/plain; charset=utf-8"),), sdl().encode())

    operation = Operation(show, "readSchema", "The GraphQL schema of an application.", _ANSWERS)
    parameters = graphql.application_parameter(name)
    return Endpoint("/auth/api/schema/{application}", {"GET": operation}, parameters=parameters)
