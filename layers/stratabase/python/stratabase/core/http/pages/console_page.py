"""The console: the page that people use the service with, at its address and at all addresses below it.

`tools/console` has its sources. `make console` builds them into the folder `console/built`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import UnknownAddress
from stratabase.core.http.pages.built_files import BuiltFiles
from stratabase.core.http.pages.page import ISOLATED, SELF, Markup, new_nonce, page_headers, render_template
from stratabase.values.frozen import frozen
from stratabase.values.messages import _
from stratabase.values.messages.message import LANGUAGES

ASSETS = "assets"
"""The segment below the console's address with the built files. All other addresses there show the page."""
_NO_SCRIPT = _("This page requires JavaScript. Enable JavaScript in your browser.")
_Manifest = Mapping[str, Mapping[str, object]]
"""What Vite says of the built files: https://vite.dev/guide/backend-integration."""


@frozen
class ConsoleService:
    """What the console needs to know about the service before anybody signs in.

    `addresses` has the paths of the service, or URLs of other sites, by the names that the console uses. None
    means that the settings switch it off.
    """

    path: str
    """The path of the console itself."""
    application: str
    version: str
    addresses: Mapping[str, str | None]


@dataclass(frozen=True)
class ConsolePage:
    """The page of the console with its built files."""

    files: BuiltFiles

    def render(self, request: Request, service: ConsoleService) -> Response:
        """Return the page in the language of the browser, with a new nonce for its files.

        Its addresses are relative to its own base, which is a path. So it works behind any host name.
        """
        nonce, language = new_nonce(), response_language(request)
        body = render_template(
            "console.html",
            language,
            application=service.application,
            base=f"{urlsplit(request.base_url).path}{service.path}/",
            nonce=nonce,
            files=Markup("\n".join(element.format(nonce=nonce) for element in self._elements)),
            service=orjson.dumps(_description(service, language)).decode(),
            no_script=_NO_SCRIPT,
        )
        return Response(200, (*page_headers(language, _policy(nonce)), ISOLATED), body.encode())

    @cached_property
    def _elements(self) -> tuple[str, ...]:
        """The elements that load the files of the page's first chunk, with a placeholder for the nonce."""
        try:
            manifest: _Manifest = orjson.loads((self.files.folder / "manifest.json").read_bytes())
        except FileNotFoundError:
            raise UnknownAddress(_("The console isn't built. To build it, run `make console`.")) from None
        (entry,) = (name for name, chunk in manifest.items() if chunk.get("isEntry"))
        return tuple(_file_elements(manifest, entry))


CONSOLE_PAGE = ConsolePage(BuiltFiles(Path(__file__).parent / "console" / "built"))


def _description(service: ConsoleService, language: str) -> Mapping[str, object]:
    """Return what the console reads from the page. Addresses are relative to its base."""
    addresses = {
        name: f"..{address}" if address is not None and address.startswith("/") else address
        for name, address in service.addresses.items()
    }
    return {
        "application": service.application,
        "version": service.version,
        "language": language,
        "languages": LANGUAGES,
        "addresses": addresses,
    }


def _file_elements(manifest: _Manifest, entry: str) -> Iterator[str]:
    """Yield the elements of an entry: its styles, the chunks that it imports, and its script last."""
    chunks = [*_static_imports(manifest, entry, set())]
    styles = dict.fromkeys(style for chunk in chunks for style in _names(manifest[chunk], "css"))
    for style in styles:
        yield f'<link rel="stylesheet" href="{ASSETS}/{style}" nonce="{{nonce}}">'
    for chunk in chunks:
        if chunk != entry:
            yield f'<link rel="modulepreload" href="{ASSETS}/{manifest[chunk]["file"]}" nonce="{{nonce}}">'
    yield f'<script type="module" src="{ASSETS}/{manifest[entry]["file"]}" nonce="{{nonce}}"></script>'


def _static_imports(manifest: _Manifest, chunk: str, met: set[str]) -> Iterator[str]:
    """Yield a chunk and all that it imports at once, imported ones first. Leave out what was met before."""
    if chunk not in met:
        met.add(chunk)
        for imported in _names(manifest[chunk], "imports"):
            yield from _static_imports(manifest, imported, met)
        yield chunk


def _names(chunk: Mapping[str, object], key: str) -> Iterator[str]:
    found = chunk.get(key, ())
    assert isinstance(found, list | tuple)
    yield from map(str, found)


def _policy(nonce: str) -> Mapping[str, str]:
    """Return the directives of the page's Content-Security-Policy.

    Scripts and styles need the nonce, which the loader of further chunks takes from the page. Images can come
    from the service and from memory, such as files that were downloaded with the token.
    """
    return {
        "script-src": f"'nonce-{nonce}'",
        "style-src": f"'nonce-{nonce}'",
        "img-src": f"{SELF} blob: data:",
        "connect-src": SELF,
        "base-uri": SELF,
        "form-action": "'none'",
    }


def console_endpoint(
    service: Callable[[], ConsoleService], console: ConsolePage = CONSOLE_PAGE, *, is_below: bool = False
) -> Endpoint:
    """Return the endpoint that shows the console: at its address, or at all addresses below it.

    The console itself decides what a path below its address shows.
    """

    def show_console(request: Request, _caller: Caller | None) -> Response:
        if request.parameters.get("proxy", "").split("/", 1)[0] == ASSETS:
            raise UnknownAddress(_('The file "{name}" does not exist.', name=request.parameters["proxy"]))
        return console.render(request, service())

    operation = Operation(
        show_console,
        "showConsoleBelow" if is_below else "showConsole",
        "The console, a page to work with the objects. It decides by its path what it shows.",
        {
            200: ResponseSpec("The page.", "text/html"),
            404: ResponseSpec("The address is that of a file that does not exist."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    if not is_below:
        return Endpoint({"GET": operation})
    path = Parameter("What the console shows. It can have several segments.", example="account")
    return Endpoint({"GET": operation}, {"proxy": path})
