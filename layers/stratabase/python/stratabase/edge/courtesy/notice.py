"""The pages that only say something: that all is done, or why a link does not work."""

from stratabase.edge.courtesy.page import Frame
from stratabase.edge.courtesy.parts import listed
from stratabase.edge.courtesy.texts import Notice
from stratabase.edge.refusals import Headers
from stratabase.edge.response import Response


def notice(
    application: str, language: str, said: Notice, status: int = 200, headers: Headers = ()
) -> Response:
    """Return the page that says so."""
    inside = listed("p", [text.format(application=application) for text in said.paragraphs])
    return Frame(application, language, said.heading, said.heading, inside).response(status, headers)
