"""The endpoint of the root address, which leads people to the console or to other pages.

Programs get all links as JSON.
"""

import html
import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.media_type import best_match
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.pages.page import HtmlPage, Markup, render_template
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _

_JSON, _HTML = "application/json", "text/html"
_VARY = ("Vary", "Accept")
_PAGES: Mapping[str, tuple[Message, Message]] = {
    "graphiql": (_("GraphiQL"), _("Write queries, run them, and explore the schema.")),
    "reference": (_("API reference"), _("See the addresses for files, tokens and members, and try them.")),
    "account": (
        _("Your account"),
        _("Change your formats, password and keys, and see where you are signed in."),
    ),
    "documentation": (_("Documentation"), _("Read how to query, write, lock and restore objects.")),
}
"""The title and the description of each link for people, by its name in JSON."""
_ADDRESSES: Mapping[str, Message] = {
    "graphql": _("GraphQL API"),
    "token": _("Tokens"),
    "openapi": _("OpenAPI document"),
    "health": _("Health"),
}
"""The description of each address for programs, by its name in JSON."""
_SLASH = re.compile("/(?!/|$)")
"""Matches a slash after which a URL can be broken."""
_SHAPE = Shape(
    "service",
    {
        "application": Field("The name of the application.", required=True, example="Hr"),
        "version": Field("The version of the service.", required=True, example="0.1.0"),
        "links": Field("The URLs of the service, by name.", "object", required=True),
    },
)


@frozen
class StartLinks:
    """What the root address leads to.

    `paths` has the paths of the service by their names in JSON. `documentation` is the URL of the
    documentation. If it is None, the links lead to the documentation in `paths`, if the service has any.
    """

    application: str
    version: str
    paths: Mapping[str, str]
    documentation: str | None

    def urls(self, base_url: str) -> dict[str, str]:
        """Return the URLs by name. `base_url` is the root URL of the service, without a trailing slash."""
        urls = {name: base_url + path for name, path in self.paths.items()}
        return {**urls, "documentation": self.documentation} if self.documentation else urls


def start_endpoint(links: StartLinks) -> Endpoint:
    """Return the endpoint of the root address: the console or a page for people, and JSON for programs."""

    def read_start(request: Request, _caller: Caller | None) -> Response:
        urls = links.urls(request.base_url)
        if best_match(",".join(request.headers.get("accept", ())), (_JSON, _HTML)) == _HTML:
            if "console" in links.paths:
                return _redirect(urlsplit(urls["console"]).path)
            return _page(links.application, response_language(request), urls)
        body = {"application": links.application, "version": links.version, "links": urls}
        headers = (("Content-Type", _JSON), _VARY, ("Cache-Control", "no-cache"))
        return Response(200, headers, orjson.dumps(body))

    operation = Operation(
        read_start,
        "readStart",
        "Where everything is: a page for people, and JSON for programs.",
        {
            200: ResponseSpec("The links of the service.", (_HTML, {_JSON: _SHAPE}), {"Vary": "`Accept`."}),
            303: ResponseSpec(
                "A browser goes to the console, if there is one.",
                headers={"Location": "The path of the console.", "Vary": "`Accept`."},
            ),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation})


def _redirect(path: str) -> Response:
    """Return the redirect to a page. Its address is a path, which is right behind any host name."""
    return Response(303, (("Location", f"{path}/"), _VARY, ("Cache-Control", "no-store")))


def _page(application: str, language: str, urls: Mapping[str, str]) -> Response:
    heading = _("Welcome")
    links = _join(
        render_template("start_link.html", language, url=urls[name], title=title, description=description)
        for name, (title, description) in _PAGES.items()
        if name in urls
    )
    addresses = _join(
        render_template("start_address.html", language, url=_breakable(urls[name]), title=title)
        for name, title in _ADDRESSES.items()
    )
    content = render_template(
        "start.html", language, links=links, for_programs=_("For programs"), addresses=addresses
    )
    return HtmlPage(application, language, heading, heading, content).response(200, (_VARY,))


def _breakable(url: str) -> Markup:
    """Return a URL that is broken at its slashes if the page is too narrow for it."""
    return Markup(_SLASH.sub("/<wbr>", html.escape(url)))


def _join(parts: Iterable[Markup]) -> Markup:
    return Markup("".join(parts))
