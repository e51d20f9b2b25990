"""The pages that programs of their own draw in the browser: GraphiQL and the API reference.

`tools` has the sources of each page. `make graphiql` and `make reference` build them into the folder `built`
beside the page's template.
"""

import html
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.pages.built_files import BuiltFiles
from stratabase.core.http.pages.page import ISOLATED, SELF, new_nonce, page_headers
from stratabase.values.messages.message import ENGLISH


@dataclass(frozen=True)
class BuiltPage:
    """A page with a script of its own.

    `name` is the last segment of the page's address, and the name of its folder. `operation` is what the ids
    of its operations in OpenAPI contain. `title` and `summary` describe the page there.
    """

    name: str
    title: str
    operation: str
    summary: str

    @cached_property
    def files(self) -> BuiltFiles:
        """The built files."""
        return BuiltFiles(Path(__file__).parent / self.name / "built")

    def asset_name(self, suffix: str) -> str:
        """Return the name of the one built file with a suffix."""
        (name,) = (name for name in self.files.by_name if name.endswith(suffix))
        return name

    def render(self, request: Request, application: str) -> Response:
        """Return the page, with a new nonce that allows only its own script and styles."""
        nonce = new_nonce()
        values = {
            "application": application,
            # Relative addresses, so that the page works behind any host name and base path.
            "here": "../" if request.path.endswith("/") else "",
            "nonce": nonce,
            "script": self.asset_name(".js"),
            "style": self.asset_name(".css"),
        }
        escaped = {name: html.escape(value) for name, value in values.items()}
        headers = page_headers(
            ENGLISH,
            {
                "script-src": f"'nonce-{nonce}'",
                "style-src": f"'nonce-{nonce}'",
                "img-src": "data:",
                "connect-src": SELF,
                "form-action": "'none'",
                "base-uri": "'none'",
            },
        )
        return Response(200, (*headers, ISOLATED), self._template.substitute(escaped).encode())

    @cached_property
    def _template(self) -> Template:
        return Template((self.files.folder.parent / "page.html").read_text(encoding="utf-8"))


GRAPHIQL = BuiltPage("graphiql", "GraphiQL", "Graphiql", "GraphiQL, a page to write and run queries.")
API_REFERENCE = BuiltPage(
    "reference",
    "API reference",
    "ApiReference",
    "The API reference, a page that shows this document and sends requests.",
)


def built_page_endpoint(page: BuiltPage, application: str) -> Endpoint:
    """Return the endpoint that serves a page for an application."""

    def show_page(request: Request, _caller: Caller | None) -> Response:
        return page.render(request, application)

    operation = Operation(
        show_page,
        f"show{page.operation}",
        page.summary,
        {200: ResponseSpec("The page.", "text/html")},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation})
