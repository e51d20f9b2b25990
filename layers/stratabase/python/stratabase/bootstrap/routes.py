"""The routes: every address of the service, its endpoint, and the Lambda function that serves it.

This is the table of contents of the HTTP API. To add an endpoint:

1. Write its file in `http_api`.
2. Add its row here.
3. Add its address to the same function in template.yaml, from which the gateway and the local server take
   their routes. A test compares the two files.

The OpenAPI document includes every row automatically. Each Lambda function imports only its own endpoints,
to shorten its cold start.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stratabase import __version__
from stratabase.bootstrap.instance import Instance
from stratabase.core.http.base.endpoint import Endpoint
from stratabase.core.settings import Settings

if TYPE_CHECKING:
    from stratabase.core.http.pages.start import StartLinks


@dataclass(frozen=True, slots=True)
class Route:
    """An address, a function that builds its endpoint for an instance, and whether the settings enable it."""

    address: str
    build: Callable[[Instance], Endpoint]
    is_enabled: Callable[[Settings], bool] = lambda _: True


def graphql_routes() -> tuple[Route, ...]:
    """Return the routes of the function `graphql`: the start, GraphQL, its schema, GraphiQL, health."""
    from stratabase.core.domain.access.visibility import require_any_right
    from stratabase.core.http.api.graphql import graphql_endpoint
    from stratabase.core.http.api.health import health_endpoint, liveness_endpoint
    from stratabase.core.http.api.sdl import sdl_endpoint
    from stratabase.core.http.pages.built_page import GRAPHIQL, built_file_endpoint, built_page_endpoint
    from stratabase.core.http.pages.start import start_endpoint

    return (
        Route("/", lambda instance: start_endpoint(_start_links(instance))),
        Route(
            "/auth/api/graphql/{application}",
            lambda instance: graphql_endpoint(instance.model.application, instance.executor),
        ),
        Route(
            "/auth/api/schema/{application}",
            lambda instance: sdl_endpoint(
                instance.model.application,
                lambda caller: instance.executor.sdl(caller),  # noqa: PLW0108 - the executor takes long to import
                lambda caller: require_any_right(instance.services.model, caller.profile),
            ),
            lambda settings: settings.introspection,
        ),
        Route(
            "/public/graphiql",
            lambda instance: built_page_endpoint(GRAPHIQL, instance.model.application),
            lambda settings: settings.graphiql,
        ),
        Route(
            "/public/graphiql/{file}",
            lambda _: built_file_endpoint(GRAPHIQL),
            lambda settings: settings.graphiql,
        ),
        Route(
            "/public/health",
            lambda instance: health_endpoint(
                __version__,
                instance.is_store_reachable,
                instance.are_keys_readable,
                instance.is_stopping,
            ),
        ),
        Route("/public/health/live", lambda _: liveness_endpoint(__version__)),
    )


def _start_links(instance: Instance) -> "StartLinks":
    from stratabase.core.http.pages.start import StartLinks

    application, settings = instance.model.application, instance.settings
    paths = {
        "graphql": f"/auth/api/graphql/{application}",
        "token": "/public/token/getJwtToken",
        "openapi": "/public/openapi.json",
        "reference": "/public/reference",
        "health": "/public/health",
    }
    if settings.introspection:
        paths["schema"] = f"/auth/api/schema/{application}"
    if settings.graphiql:
        paths["graphiql"] = "/public/graphiql"
    if instance.documentation_path:
        paths["documentation"] = instance.documentation_path
    return StartLinks(application, __version__, paths, settings.documentation)


def token_routes() -> tuple[Route, ...]:
    """Return the routes of the function `tokens`."""
    from stratabase.members.endpoints.tokens import get_token_endpoint, refresh_token_endpoint

    return (
        Route(
            "/public/token/getJwtToken",
            lambda instance: get_token_endpoint(
                instance.auth_services.sign_in, instance.auth_services.issuer
            ),
        ),
        Route(
            "/auth/token/refreshJwtToken",
            lambda instance: refresh_token_endpoint(instance.auth_services.issuer),
        ),
    )


def member_routes() -> tuple[Route, ...]:
    """Return the routes of the function `members`: members, passwords, the OpenAPI document and its page."""
    from stratabase.core.http.api.openapi.document import openapi_endpoint
    from stratabase.core.http.pages.built_page import API_REFERENCE, built_file_endpoint, built_page_endpoint
    from stratabase.members.endpoints.hand_over import hand_over_endpoint
    from stratabase.members.endpoints.member import current_member_endpoint, member_endpoint
    from stratabase.members.endpoints.members import members_endpoint
    from stratabase.members.endpoints.reset_password import reset_password_endpoint
    from stratabase.members.operations.email_change import CONFIRM_EMAIL_PATH as CONFIRM_EMAIL
    from stratabase.members.operations.password_reset import FORGOT_PASSWORD_PATH as FORGOT_PASSWORD
    from stratabase.members.operations.password_reset import SET_PASSWORD_PATH as SET_PASSWORD
    from stratabase.members.pages.confirm_email import confirm_email_endpoint
    from stratabase.members.pages.forgot_password import forgot_password_endpoint
    from stratabase.members.pages.set_password import set_password_endpoint

    return (
        Route(
            "/auth/administration/member",
            lambda instance: current_member_endpoint(
                instance.member_services, instance.member_services.shapes
            ),
        ),
        Route(
            "/auth/administration/members",
            lambda instance: members_endpoint(instance.member_services, instance.member_services.shapes),
        ),
        Route(
            "/auth/administration/members/{id}",
            lambda instance: member_endpoint(instance.member_services, instance.member_services.shapes),
        ),
        Route(
            "/auth/administration/members/{id}/resetPassword",
            lambda instance: reset_password_endpoint(instance.member_services.password_reset.start),
        ),
        Route(
            "/auth/administration/members/{id}/handOver",
            lambda instance: hand_over_endpoint(instance.member_services.hand_over),
        ),
        Route(
            SET_PASSWORD,
            lambda instance: set_password_endpoint(
                instance.member_services.password_reset, instance.member_services.set_password_pages
            ),
        ),
        Route(
            FORGOT_PASSWORD,
            lambda instance: forgot_password_endpoint(
                instance.member_services.request_forgotten_password,
                instance.member_services.forgot_password_pages,
            ),
        ),
        Route(
            CONFIRM_EMAIL,
            lambda instance: confirm_email_endpoint(
                instance.member_services.email_change, instance.member_services.confirm_email_pages
            ),
        ),
        Route(
            "/public/openapi.json",
            lambda instance: openapi_endpoint(instance.service_info, lambda: all_endpoints(instance)),
        ),
        Route(
            "/public/reference",
            lambda instance: built_page_endpoint(API_REFERENCE, instance.model.application),
        ),
        Route("/public/reference/{file}", lambda _: built_file_endpoint(API_REFERENCE)),
    )


def file_routes() -> tuple[Route, ...]:
    """Return the routes of the function `files`: uploads, and pending files except for GET."""
    from stratabase.core.http.files.tus import with_tus_creation
    from stratabase.core.http.files.upload import upload_endpoint

    return (
        Route(
            "/auth/file/{class}/{name}",
            lambda instance: with_tus_creation(
                upload_endpoint(instance.file_uploads), lambda: instance.resumable_uploads
            ),
        ),
        _pending_file_route(),
    )


def download_routes() -> tuple[Route, ...]:
    """Return the routes of the function `download`, which streams files."""
    from stratabase.core.http.files.download import bound_file_endpoint

    return (
        _pending_file_route(),
        Route(
            "/auth/file/{class}/{name}/{attribute}",
            lambda instance: bound_file_endpoint(instance.file_downloads),
        ),
        # API Gateway prefers the segment `pending` to a parameter, also where it is the name of an attribute.
        Route(
            "/auth/file/{class}/{name}/pending",
            lambda instance: bound_file_endpoint(
                instance.file_downloads, operation_id="downloadFileCalledPending"
            ),
        ),
    )


def _pending_file_route() -> Route:
    # GET goes to the function `download`, and all other methods to `files`. Both know all methods, for Allow.
    from stratabase.core.http.files.download import pending_file_endpoint
    from stratabase.core.http.files.tus import with_tus

    return Route(
        "/auth/file/{class}/{name}/pending/{pendingFileId}",
        lambda instance: with_tus(
            pending_file_endpoint(instance.file_downloads), lambda: instance.resumable_uploads
        ),
    )


FUNCTIONS: Mapping[str, Callable[[], tuple[Route, ...]]] = {
    "graphql": graphql_routes,
    "tokens": token_routes,
    "members": member_routes,
    "files": file_routes,
    "download": download_routes,
}
"""The routes of each Lambda function, by the name of its folder in `functions`."""


def build_endpoints(function: str, instance: Instance) -> dict[str, Endpoint]:
    """Return the endpoints that a Lambda function serves for an instance, by address."""
    routes = FUNCTIONS[function]()
    return {route.address: route.build(instance) for route in routes if route.is_enabled(instance.settings)}


def all_endpoints(instance: Instance) -> dict[str, Endpoint]:
    """Return the endpoints of all Lambda functions for an instance, by address."""
    return {
        address: endpoint
        for function in FUNCTIONS
        for address, endpoint in build_endpoints(function, instance).items()
    }
