"""What the pages behind mailed links have in common, to set a password or to confirm an e-mail address.

A link leads to a page with a form. Nothing happens until somebody sends the form: programs that look at mail
open the links in it. After the form, the browser is led to a page that says that it is done. When a link is
no longer good, a page without a form says why.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stratabase.domain.issues.refusals import Refusal, Unavailable
from stratabase.domain.members.mail import choose_language
from stratabase.domain.members.mailed_link import UnusableLink
from stratabase.domain.members.member import Member
from stratabase.domain.members.refusals import MemberTaken
from stratabase.http_api.http.body import FORM_MEDIA_TYPE, body_format_of, read_body, read_form
from stratabase.http_api.http.endpoint import Parameter
from stratabase.http_api.http.media_type import parse_media_type
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import UnsupportedMediaType, log_refusal
from stratabase.http_api.http.shape import Shape
from stratabase.http_api.pages import en, it
from stratabase.http_api.pages.page import notice_page
from stratabase.http_api.pages.texts import ConfirmationTexts, Notice, PasswordTexts
from stratabase.observe import Log

PASSWORD_TEXTS: Mapping[str, PasswordTexts] = {"en": en.PASSWORD_TEXTS, "it": it.PASSWORD_TEXTS}
"""By language."""
CONFIRMATION_TEXTS: Mapping[str, ConfirmationTexts] = {
    "en": en.CONFIRMATION_TEXTS,
    "it": it.CONFIRMATION_TEXTS,
}
"""By language."""

HTML = "text/html"
RETRY_AFTER = {"Retry-After": "When to try again, in seconds."}
TOKEN_PARAMETER = {"token": Parameter("The token of the link.")}


class LinkPages:
    """Answers a browser at the address of a link.

    Pages are in the language of the link's member, or else in one that the browser asks for.
    `find_member(token)` returns the member, or raises UnusableLink or Unavailable. `texts` are by language.
    """

    def __init__(
        self,
        application: str,
        texts: Mapping[str, PasswordTexts] | Mapping[str, ConfirmationTexts],
        find_member: Callable[[str], Member],
        log: Log,
    ) -> None:
        self.application = application
        self._texts = texts
        self._find_member = find_member
        self.log = log

    def show(self, request: Request, form: Callable[[str, Member], Response]) -> Response:
        """Return the page for a GET: `form(token, member)` when the link is good, otherwise a notice."""
        if request.query.get("result") == ("done",):
            return self._notice(_language_of_result(request), Notice.DONE)
        tokens = request.query.get("token")
        if tokens is None:
            return self._notice(language_for(request), Notice.MISSING)
        return self.respond(request, tokens[-1], form)

    def respond(self, request: Request, token: str, action: Callable[[str, Member], Response]) -> Response:
        """Return `action(token, member)` for the member of a link, or a notice that says why not.

        The action may raise UnusableLink, MemberTaken and Unavailable, too.
        """
        member = None
        try:
            member = self._find_member(token)
            return action(token, member)
        except UnusableLink as refusal:
            notice = Notice.EXPIRED if refusal.expired else Notice.UNKNOWN
            return self._refuse(request, refusal, notice, refusal.member)
        except MemberTaken as refusal:
            return self._refuse(request, refusal, Notice.TAKEN, member)
        except Unavailable as refusal:
            return self._refuse(request, refusal, Notice.LATER, member)

    def redirect_to_done(self, request: Request, member: Member) -> Response:
        """Return the response to a form that was successful: it leads to the page that says so."""
        # The language goes along, since the address of that page has no token, and so no member.
        url = f"{request.base_url}{request.resource}?result=done&language={language_for(request, member)}"
        return Response(303, (("Location", url),))

    def _refuse(self, request: Request, refusal: Refusal, notice: Notice, member: Member | None) -> Response:
        status, headers = log_refusal(self.log, request, refusal)
        text = self._texts[language_for(request, member)].notices[notice]
        return notice_page(self.application, language_for(request, member), text, status, headers)

    def _notice(self, language: str, notice: Notice) -> Response:
        return notice_page(self.application, language, self._texts[language].notices[notice])


def read_submission(request: Request, body: Shape, form: Shape) -> tuple[dict[str, Any], bool]:
    """Return the fields of a POST, and whether they come from the form of the page.

    Only then the response is a page. Raises Malformed, UnsupportedMediaType.
    """
    name = parse_media_type(request.header("content-type") or "").name
    if name == FORM_MEDIA_TYPE:
        return read_form(request, form), True
    if name and body_format_of(name) is None:
        raise UnsupportedMediaType(f"The body must be JSON, XML or {FORM_MEDIA_TYPE}, not {name}.")
    return read_body(request, body), False


def language_for(request: Request, member: Member | None = None) -> str:
    """Return the language of a page for a member, or else for a browser."""
    return negotiate_language([member.formats.language] if member else [], _accept_language(request))


def negotiate_language(wanted: Iterable[str], accept_language: str) -> str:
    """Return the first of the wanted languages that there is, or else the best of Accept-Language."""
    ranges = [parse_media_type(part) for part in accept_language.split(",")]
    accepted = [range_.name for range_ in sorted(ranges, key=lambda range_: -range_.weight) if range_.weight]
    return choose_language((*wanted, *accepted), PASSWORD_TEXTS)


def _language_of_result(request: Request) -> str:
    return negotiate_language(request.query.get("language", ()), _accept_language(request))


def _accept_language(request: Request) -> str:
    return request.header("accept-language") or ""
