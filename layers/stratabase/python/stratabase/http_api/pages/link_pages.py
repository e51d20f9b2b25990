"""The languages of the pages."""

from collections.abc import Iterable, Mapping

from stratabase.domain.language import spoken
from stratabase.domain.member import Member
from stratabase.http_api.http import media_type
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.pages import en, it
from stratabase.http_api.pages.texts import ConfirmationTexts, PasswordTexts

TEXTS: Mapping[str, PasswordTexts] = {"en": en.TEXTS, "it": it.TEXTS}
"""What the page says on which a password is set, by its languages."""
CONFIRMATIONS: Mapping[str, ConfirmationTexts] = {"en": en.CONFIRMATION, "it": it.CONFIRMATION}
"""What the page says on which an e-mail address is confirmed, in the same languages."""


def language_for(request: Request, member: Member | None = None) -> str:
    """Return the language of the page for a member, or else for a browser."""
    return language_of([member.formats.language] if member else [], request.header("accept-language") or "")


def language_of(wanted: Iterable[str], accepted: str) -> str:
    """Return the first language of those wanted that the page has, or else of an Accept-Language header."""
    return spoken((*wanted, *_preferred(accepted)), TEXTS)


def _preferred(accepted: str) -> list[str]:
    """Return the languages of an Accept-Language header, the best first."""
    ranges = [media_type.parse_media_type(part) for part in accepted.split(",")]
    return [range_.name for range_ in sorted(ranges, key=lambda range_: -range_.weight) if range_.weight]


RESULT, DONE = "result", "done"
LANGUAGE = "language"


def result_page(request: Request, address: str, language: str) -> Response:
    """Return what leads a browser from a form to the page that says that all is done."""
    location = f"{request.base_url}{address}?{RESULT}={DONE}&{LANGUAGE}={language}"
    return Response(303, (("Location", location),))


def result_language(request: Request) -> str:
    """Return the language of that page."""
    return language_of(request.query.get(LANGUAGE, ()), request.header("accept-language") or "")
