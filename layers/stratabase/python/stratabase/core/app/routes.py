"""The routes of the core: its addresses, their endpoints, and the Lambda functions that serve them.

To add an endpoint:

1. Write its file in `http`, or in the `endpoints` of another package.
2. Add its row here, or in the `routes` of that package.
3. Add its address to the same function in template.yaml, from which the gateway takes its routes. A test
   compares the two.

The OpenAPI document includes every row automatically. Each Lambda function imports only its own endpoints,
to shorten its cold start.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stratabase import __version__
from stratabase.core.http.base.endpoint import Endpoint
from stratabase.core.settings import Settings
from stratabase.values.frozen import frozen

if TYPE_CHECKING:
    from stratabase.core.app.app import App
    from stratabase.core.http.pages.console_page import ConsoleService
    from stratabase.core.http.pages.start import StartLinks
    from stratabase.core.schema.description import ModelDescriptions


CONSOLE_PATH = "/console"


@frozen
class Route:
    """An address, a function that builds its endpoint for an app, and whether the settings enable it."""

    address: str
    build: Callable[["App"], Endpoint]
    is_enabled: Callable[[Settings], bool] = lambda _: True


def graphql_routes() -> tuple[Route, ...]:
    """Return the routes of the function `graphql`: the start, GraphQL, schema and model, GraphiQL, health."""
    from stratabase.core.domain.access.visibility import require_any_right
    from stratabase.core.http.api.graphql import graphql_endpoint
    from stratabase.core.http.api.health import health_endpoint, liveness_endpoint
    from stratabase.core.http.api.model_description import model_description_endpoint
    from stratabase.core.http.api.sdl import sdl_endpoint
    from stratabase.core.http.pages.built_files import built_file_endpoint
    from stratabase.core.http.pages.built_page import GRAPHIQL, built_page_endpoint
    from stratabase.core.http.pages.start import start_endpoint

    return (
        Route("/", lambda app: start_endpoint(_start_links(app))),
        Route(
            "/auth/api/graphql/{application}",
            lambda app: graphql_endpoint(app.model.application, app.executor),
        ),
        Route(
            "/auth/api/schema/{application}",
            lambda app: sdl_endpoint(
                app.model.application,
                lambda caller: app.executor.sdl(caller),  # noqa: PLW0108 - the executor takes long to import
                lambda caller: require_any_right(app.services.model, caller.profile),
            ),
            lambda settings: settings.introspection,
        ),
        Route(
            "/auth/api/model/{application}",
            lambda app: model_description_endpoint(
                app.model.application,
                lambda caller: app.part(_descriptions).of(caller),
                lambda caller: require_any_right(app.services.model, caller.profile),
            ),
            _has_model_description,
        ),
        Route(
            "/public/graphiql",
            lambda app: built_page_endpoint(GRAPHIQL, app.model.application),
            lambda settings: settings.graphiql,
        ),
        Route(
            "/public/graphiql/{file}",
            lambda _: built_file_endpoint(GRAPHIQL.files, GRAPHIQL.title, GRAPHIQL.operation),
            lambda settings: settings.graphiql,
        ),
        Route(
            "/public/health",
            lambda app: health_endpoint(
                __version__,
                app.is_store_reachable,
                app.health_problems,
                app.is_stopping,
            ),
        ),
        Route("/public/health/live", lambda _: liveness_endpoint(__version__)),
    )


def _descriptions(app: "App") -> "ModelDescriptions":
    from stratabase.core.schema.description import ModelDescriptions

    return ModelDescriptions(app.services.model, app.executor.profiles)


def _start_links(app: "App") -> "StartLinks":
    from stratabase.core.http.pages.start import StartLinks

    found = {name: path for name, path in _paths(app).items() if path is not None}
    return StartLinks(app.model.application, __version__, found, app.settings.documentation)


def _paths(app: "App") -> Mapping[str, str | None]:
    """Return the paths of the pages and the main addresses by name, None for what is switched off."""
    application, settings = app.model.application, app.settings
    return {
        "console": CONSOLE_PATH if settings.console else None,
        "graphql": f"/auth/api/graphql/{application}",
        "token": "/public/token/getJwtToken",
        "openapi": "/public/openapi.json",
        "signIn": "/public/signIn",
        "account": "/public/account",
        "reference": "/public/reference",
        "health": "/public/health",
        "schema": f"/auth/api/schema/{application}" if settings.introspection else None,
        "graphiql": "/public/graphiql" if settings.graphiql else None,
        "documentation": app.documentation_path,
    }


def console_routes() -> tuple[Route, ...]:
    """Return the routes of the function `console`: the page at all its addresses, and its files."""
    from stratabase.core.http.pages.built_files import built_file_endpoint
    from stratabase.core.http.pages.console_page import CONSOLE_PAGE, console_endpoint

    return (
        Route(CONSOLE_PATH, lambda app: console_endpoint(lambda: console_service(app)), _has_console),
        Route(
            f"{CONSOLE_PATH}/{{proxy+}}",
            lambda app: console_endpoint(lambda: console_service(app), is_below=True),
            _has_console,
        ),
        Route(
            f"{CONSOLE_PATH}/assets/{{file}}",
            lambda _: built_file_endpoint(CONSOLE_PAGE.files, "console", "Console"),
            _has_console,
        ),
    )


def _has_console(settings: Settings) -> bool:
    return settings.console


def _has_model_description(settings: Settings) -> bool:
    # The console makes its pages from the description, of which members see what their profile may use.
    return settings.introspection or settings.console


def console_service(app: "App") -> "ConsoleService":
    """Return what the console needs to know, with the addresses that it sends requests or leads to."""
    from stratabase.core.http.pages.console_page import ConsoleService

    application, members = app.model.application, "/auth/administration"
    paths = {name: path for name, path in _paths(app).items() if name != "console"}
    return ConsoleService(
        CONSOLE_PATH,
        application,
        __version__,
        {
            **paths,
            "documentation": app.settings.documentation or paths["documentation"],
            "model": f"/auth/api/model/{application}",
            "refresh": "/auth/token/refreshJwtToken",
            "exchange": "/public/token/exchange",
            "ways": "/public/signIn?format=json",
            "forgotPassword": "/public/administration/forgotPassword",
            "member": f"{members}/member",
            "members": f"{members}/members",
            "service": f"{members}/service",
            "audit": f"{members}/audit",
            "file": "/auth/file",
        },
    )


def openapi_routes() -> tuple[Route, ...]:
    """Return the routes of the OpenAPI document and its page, which the function `members` serves."""
    from stratabase.core.http.api.openapi.document import openapi_endpoint
    from stratabase.core.http.pages.built_files import built_file_endpoint
    from stratabase.core.http.pages.built_page import API_REFERENCE, built_page_endpoint

    return (
        Route("/public/openapi.json", lambda app: openapi_endpoint(app.service_info, app.all_endpoints)),
        Route("/public/reference", lambda app: built_page_endpoint(API_REFERENCE, app.model.application)),
        Route(
            "/public/reference/{file}",
            lambda _: built_file_endpoint(API_REFERENCE.files, API_REFERENCE.title, API_REFERENCE.operation),
        ),
    )


def file_routes() -> tuple[Route, ...]:
    """Return the routes of the function `files`: uploads, and pending files except for GET."""
    from stratabase.core.http.files.tus import with_tus_creation
    from stratabase.core.http.files.upload import upload_endpoint

    return (
        Route(
            "/auth/file/{class}/{name}",
            lambda app: with_tus_creation(upload_endpoint(app.file_uploads), lambda: app.resumable_uploads),
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
            lambda app: bound_file_endpoint(app.file_downloads),
        ),
        # API Gateway prefers the segment `pending` to a parameter, also where it is the name of an attribute.
        Route(
            "/auth/file/{class}/{name}/pending",
            lambda app: bound_file_endpoint(app.file_downloads, operation_id="downloadFileCalledPending"),
        ),
    )


def _pending_file_route() -> Route:
    # GET goes to the function `download`, and all other methods to `files`. Both know all methods, for Allow.
    from stratabase.core.http.files.download import pending_file_endpoint
    from stratabase.core.http.files.tus import with_tus

    return Route(
        "/auth/file/{class}/{name}/pending/{pendingFileId}",
        lambda app: with_tus(pending_file_endpoint(app.file_downloads), lambda: app.resumable_uploads),
    )
