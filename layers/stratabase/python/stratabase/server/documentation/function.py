"""The endpoints of the documentation, and the function with which the local gateway serves them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.preconditions import cacheable_response
from stratabase.core.http.base.refusals import UnknownAddress
from stratabase.core.http.handler import HttpHandler
from stratabase.core.http.pages.page import hash_source
from stratabase.server.documentation.pages import PAGE_LIST, Documentation
from stratabase.server.http.errors import INTEGRATION_TIMEOUT
from stratabase.server.http.lambda_functions import LambdaFunction
from stratabase.server.http.template import FunctionDeclaration, RouteDeclaration, Template
from stratabase.values.messages import _
from stratabase_aws.functions.handler import LambdaHandler

DOCUMENTATION_PATH = "/public/documentation"
"""The address of the list of all pages."""
_PAGE_ADDRESS = f"{DOCUMENTATION_PATH}/{{page}}"
_FUNCTION = "Documentation"
_MEGABYTES = 128
_HTML = "text/html; charset=utf-8"


def with_documentation(template: Template) -> Template:
    """Return a template of AWS with the routes of the documentation, which only `serve` has.

    If the template itself has one of these routes, its own function serves it.
    """
    routes = (RouteDeclaration(address, "ANY", _FUNCTION) for address in (DOCUMENTATION_PATH, _PAGE_ADDRESS))
    return replace(template, routes=(*routes, *template.routes))


def documentation_function(instance: App, documentation: Documentation) -> dict[str, LambdaFunction]:
    """Return the function that serves the documentation, by its name."""
    handler = HttpHandler(
        documentation_endpoints(documentation),
        Authentication({}),  # everyone can read the pages
        cors=Cors(instance.settings.allowed_origins),
        base_url=instance.settings.base_url,
        log=instance.log,
        find_application=lambda: instance.model.application,
    )
    declaration = FunctionDeclaration(_FUNCTION, Path(__file__), "handler", INTEGRATION_TIMEOUT, _MEGABYTES)
    return {_FUNCTION: LambdaFunction(declaration, LambdaHandler(handler))}


def documentation_endpoints(documentation: Documentation) -> dict[str, Endpoint]:
    """Return the endpoints of the documentation by address: the list of all pages, and a page by its name."""

    def read_page(request: Request, _caller: Caller | None) -> Response:
        page = documentation.find(request.parameters.get("page", PAGE_LIST))
        if page is None:
            raise UnknownAddress(_("The address {address} does not exist.", address=request.path))
        if request.path.endswith("/"):  # the links in the page are relative to its address without a slash
            return Response(308, (("Location", f"../{request.path.rstrip('/').rpartition('/')[2]}"),))
        response = cacheable_response(request, _HTML, page.content, gzipped=lambda: page.gzipped)
        return response.with_headers((*response.headers, *_headers(documentation.style)))

    return {
        DOCUMENTATION_PATH: Endpoint({"GET": _operation("readDocumentation", read_page)}),
        _PAGE_ADDRESS: Endpoint(
            {"GET": _operation("readDocumentationPage", read_page)},
            {"page": Parameter("The name of the page.", example="model")},
        ),
    }


def _operation(name: str, respond: Callable[[Request, Caller | None], Response]) -> Operation:
    tag = {"ETag": "Changes with the page."}
    return Operation(
        respond,
        name,
        "A page of the documentation of this version.",
        {
            200: ResponseSpec("The page.", "text/html", tag),
            304: ResponseSpec("The page has not changed.", headers=tag),
            308: ResponseSpec(
                "The page is at the address without a slash at the end.",
                headers={"Location": "The address of the page."},
            ),
            404: ResponseSpec("The page does not exist."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )


@cache
def _headers(style: str) -> Headers:
    """Return the headers of a page. Its security policy allows only this style, and inline images."""
    policy = (
        "default-src 'none'",
        f"style-src {hash_source(style)}",
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
    return (
        ("Content-Language", "en"),
        ("Content-Security-Policy", "; ".join(policy)),
        ("Referrer-Policy", "no-referrer"),
    )
