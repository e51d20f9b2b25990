"""The GraphQL schema of an application, as text."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.edge import application
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.operation import Operation, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response

_ANSWERS = {200: Told("The schema in GraphQL's schema language.", "text/plain"), 404: application.UNKNOWN}


def sdl_endpoint(name: str, sdl: Callable[[], str]) -> Endpoint:
    """Return the endpoint that shows the schema of the application `name`."""

    def show(request: Request, _: Caller | None) -> Response:
        application.require(request, name)
        return Response(200, (("Content-Type", "text/plain; charset=utf-8"),), sdl().encode())

    operation = Operation(show, "readSchema", "The GraphQL schema of an application.", _ANSWERS)
    parameters = application.parameter(name)
    return Endpoint("/auth/api/schema/{application}", {"GET": operation}, parameters=parameters)
