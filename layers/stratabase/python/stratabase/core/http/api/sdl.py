"""The endpoint that shows the GraphQL schema of the application as text (SDL)."""

from collections.abc import Callable

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden, Refused
from stratabase.core.http.api.graphql import UNKNOWN_APPLICATION, application_parameter, require_application
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.error_response import text_response
from stratabase.core.http.base.messages import Request, Response


def sdl_endpoint(
    application: str,
    sdl: Callable[[Caller], str],
    authorize: Callable[[Caller], None] = lambda _: None,
) -> Endpoint:
    """Return the endpoint that shows the schema of an application.

    `sdl` returns what a caller may use of it, as text. It raises Refused for a caller who may use no service.
    `authorize` raises Forbidden for callers who may do nothing in the application.
    """

    def read_schema(request: Request, caller: Caller | None) -> Response:
        require_application(request, application)
        try:
            return text_response(200, sdl(require_caller(caller)))
        except Refused as refusal:
            raise Forbidden(refusal.message) from None

    operation = Operation(
        read_schema,
        "readSchema",
        "The GraphQL schema of an application, as far as the caller may use it.",
        {
            200: ResponseSpec("The schema in GraphQL's schema language.", "text/plain"),
            404: UNKNOWN_APPLICATION,
        },
        authorize=lambda _, caller: authorize(caller),
    )
    return Endpoint({"GET": operation}, application_parameter(application))
