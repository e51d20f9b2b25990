"""The common parts of the pages that mailed links open: to set a password, or to confirm an email address.

A link opens a page with a form. Opening it changes nothing, because programs that scan mail open links, too.
A successful form redirects the browser to a page that confirms the success. If a link is no longer valid, a
page without a form says why.
"""

from collections.abc import Callable
from typing import Any

from stratabase.core.domain.issues.refusals import Refusal, Unavailable
from stratabase.core.http.base.body import FORM_MEDIA_TYPE, body_format_of, read_body, read_form
from stratabase.core.http.base.endpoint import (
    ErrorFormat,
    Operation,
    Parameter,
    ResponseSpec,
)
from stratabase.core.http.base.language import negotiate_language, response_language
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import UnsupportedMediaType, log_refusal
from stratabase.core.http.base.shape import Shape
from stratabase.core.http.pages.notices import Notice, Notices, notice_page
from stratabase.core.observe import Log
from stratabase.members.mailed_link import UnusableLink
from stratabase.members.member import Member
from stratabase.members.refusals import MemberTaken
from stratabase.values.messages import _

HTML = "text/html"
RETRY_AFTER = {"Retry-After": "When to try again, in seconds."}
_STARTS_OF_PROGRAMS = (b"{", b"<")
"""How JSON and XML begin, and no form, in which browsers encode both. `curl -d` calls every body a form."""


class LinkPages:
    """The pages of one kind of mailed link.

    Pages are in the language of the member to whom the link was mailed, or in one that the browser accepts.
    `find_member(token)` returns that member. It raises UnusableLink or Unavailable.
    """

    def __init__(
        self,
        application: str,
        notices: Notices,
        find_member: Callable[[str], Member],
        log: Log,
    ) -> None:
        self.application = application
        self._notices = notices
        self._find_member = find_member
        self.log = log

    def show(self, request: Request, form: Callable[[str, Member], Response]) -> Response:
        """Return the page for a GET: `form(token, member)` if the link is valid, otherwise a notice."""
        if request.query.get("result") == ("done",):
            # This URL has no token, so the member is unknown. `redirect_to_done` puts the language into it.
            language = negotiate_language(request, request.query.get("language", ()))
            return self._notice(language, Notice.DONE)
        tokens = request.query.get("token")
        if tokens is None:
            return self._notice(response_language(request), Notice.MISSING)
        return self.respond(request, tokens[-1], form)

    def respond(self, request: Request, token: str, action: Callable[[str, Member], Response]) -> Response:
        """Return the result of `action(token, member)`, or a notice if it or the link fails.

        The action can raise UnusableLink, MemberTaken and Unavailable.
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
        """Return the redirect to the page that confirms the success of a form."""
        # That page has no token and cannot find the member, so the URL carries the language.
        language = response_language(request, member)
        url = f"{request.base_url}{request.resource}?result=done&language={language}"
        return Response(303, (("Location", url),))

    def _refuse(self, request: Request, refusal: Refusal, notice: Notice, member: Member | None) -> Response:
        status, headers = log_refusal(self.log, request, refusal)
        return self._notice(response_language(request, member), notice, status, headers)

    def _notice(self, language: str, notice: Notice, status: int = 200, headers: Headers = ()) -> Response:
        return notice_page(self.application, language, self._notices[notice], status, headers)


def read_submission(request: Request, body: Shape, form: Shape) -> tuple[dict[str, Any], bool]:
    """Return the fields of a POST, and whether an HTML form sent them, so that the response is a page.

    Raises Malformed, UnsupportedMediaType.
    """
    name = parse_media_type(request.header("content-type") or "").name
    if name == FORM_MEDIA_TYPE and not request.body.lstrip().startswith(_STARTS_OF_PROGRAMS):
        return read_form(request, form), True
    if name not in {"", FORM_MEDIA_TYPE} and body_format_of(name) is None:
        message = _(
            "The request body must be JSON, XML, or {form}, not {actual}.", form=FORM_MEDIA_TYPE, actual=name
        )
        raise UnsupportedMediaType(message)
    return read_body(request, body), False


def show_page_operation(show: Callable[[Request], Response], id_: str, purpose: str, part: str) -> Operation:
    """Return the operation that shows the page of a link. `part`: what the page has for the member to use."""
    return Operation(
        lambda request, _caller: show(request),
        id_,
        f"The page on which a member {purpose}, for browsers.",
        {
            200: ResponseSpec(f"The page with the {part}, or the page after it.", HTML),
            401: ResponseSpec("The link was used, has expired, or was never sent. The page says so.", HTML),
            503: ResponseSpec("The store is not available. The page says so.", HTML, RETRY_AFTER),
        },
        query={
            "token": Parameter("The token of the link."),
            "result": Parameter(f"`done`: the page after the {part}."),
            "language": Parameter(f"The language of the page after the {part}."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
