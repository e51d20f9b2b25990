"""The endpoints of the documentation."""

from collections.abc import Callable
from functools import cache

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.preconditions import cacheable_response
from stratabase.core.http.base.refusals import UnknownAddress
from stratabase.core.http.pages.page import hash_source
from stratabase.server.documentation.pages import PAGE_LIST, Documentation, documentation_style
from stratabase.values.messages import _

DOCUMENTATION_PATH = "/public/documentation"
"""The address of the list of all pages."""
_PAGE_ADDRESS = f"{DOCUMENTATION_PATH}/{{page}}"
_HTML = "text/html; charset=utf-8"


def documentation_endpoints(documentation: Documentation) -> dict[str, Endpoint]:
    """Return the endpoints of the documentation by address: the list of all pages, and a page by its name."""

    def read_page(request: Request, _caller: Caller | None) -> Response:
        page = documentation.find(request.parameters.get("page", PAGE_LIST))
        if page is None:
            raise UnknownAddress(_("The address {address} does not exist.", address=request.path))
        if request.path.endswith("/"):  # the links in the page are relative to its address without a slash
            return Response(308, (("Location", f"../{request.path.rstrip('/').rpartition('/')[2]}"),))
        response = cacheable_response(request, _HTML, page.content, gzipped=lambda: page.gzipped)
        return response.with_headers((*response.headers, *_headers()))

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
def _headers() -> Headers:
    """Return the headers of a page. Its security policy allows only this style, and inline images."""
    policy = (
        "default-src 'none'",
        f"style-src {hash_source(documentation_style())}",
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
