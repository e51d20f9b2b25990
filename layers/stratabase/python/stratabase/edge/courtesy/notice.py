"""The pages that only say something: that the password is set, or why a link does not work."""

from stratabase.edge.courtesy.languages import TEXTS
from stratabase.edge.courtesy.page import Frame
from stratabase.edge.courtesy.parts import listed
from stratabase.edge.courtesy.texts import News
from stratabase.edge.refusals import Headers
from stratabase.edge.response import Response


def notice(application: str, language: str, news: News, status: int = 200, headers: Headers = ()) -> Response:
    """Return the page that tells the news."""
    said = TEXTS[language].notices[news]
    inside = listed("p", [text.format(application=application) for text in said.paragraphs])
    return Frame(application, language, said.heading, said.heading, inside).response(status, headers)
