"""The addresses of the page and of its files."""

from collections.abc import Iterator

from stratabase.domain.member import Caller
from stratabase.edge import etag
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.graphiql.files import LICENSES, files
from stratabase.edge.graphiql.page import page
from stratabase.edge.operation import Manner, Operation, Parameter, Told
from stratabase.edge.refusals import NotFound
from stratabase.edge.request import Request
from stratabase.edge.response import Response

FOREVER = "public, max-age=31536000, immutable"

_TAG = {"ETag": "Changes with the file."}
_PAGE = {200: Told("The page.", "text/html")}
_FILE = {
    200: Told("The file.", ("text/javascript", "text/css", "text/plain"), _TAG),
    304: Told("The file is the one that the client has.", headers=_TAG),
    404: Told("The page has no such file."),
}
_NAME = Parameter("The name of the file.", example=LICENSES)


def graphiql_endpoints(application: str) -> Iterator[Endpoint]:
    """Yield the endpoints of the page on which people sign in and query the application."""

    def show(request: Request, _: Caller | None) -> Response:
        return page(request, application)

    about = "GraphiQL, a page on which to write and run queries."
    shown = Operation(show, "showGraphiql", about, _PAGE, refuses=Manner.JSON, formatted=False)
    yield Endpoint("/public/graphiql", {"GET": shown})

    about = "A file of the page GraphiQL."
    given = Operation(_file, "readGraphiqlFile", about, _FILE, refuses=Manner.JSON, formatted=False)
    yield Endpoint("/public/graphiql/{file}", {"GET": given}, parameters={"file": _NAME})


def _file(request: Request, _: Caller | None) -> Response:
    name = request.parameters["file"]
    file = files().get(name)
    if file is None:
        raise NotFound(f'GraphiQL has no file "{name}".')
    cache = FOREVER if file.lasts else "no-cache"
    return etag.answer(request, file.content_type, file.content, cache, lambda: file.compressed)
