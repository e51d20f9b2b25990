"""What a person with a browser gets at the address of a link to confirm an e-mail address."""

from stratabase.domain.link import UnusableLink
from stratabase.domain.member import Caller, Member
from stratabase.domain.member_refusals import MemberTaken
from stratabase.domain.refusal import Refusal, Unavailable
from stratabase.http_api.http import media_type
from stratabase.http_api.http.body import FORM_MEDIA_TYPE, read_body, read_form
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers, log_and_answer
from stratabase.http_api.http.shape import Field, Shape
from stratabase.http_api.pages.link_pages import (
    CONFIRMATIONS,
    DONE,
    RESULT,
    language_for,
    result_language,
    result_page,
)
from stratabase.http_api.pages.page import Page, notice, render_template
from stratabase.http_api.pages.set_password import HTML, RETRY_AFTER, check_body_type
from stratabase.http_api.pages.texts import ConfirmationNotice as News
from stratabase.observe import Log
from stratabase.operations.members.email_change import ADDRESS, EmailChange


class ConfirmEmailPages:
    """Answers with pages, in the language of the link's member, or else in one that the browser asks for.

    Nothing happens until somebody presses the button: programs that look at mail open the links in it.
    """

    def __init__(self, emails: EmailChange, application: str, log: Log) -> None:
        self._emails = emails
        self._application = application
        self._log = log

    def show(self, request: Request) -> Response:
        """Return the page with the button for a link, or what else there is to say."""
        if request.query.get(RESULT) == (DONE,):
            return self._notice(result_language(request), News.DONE)
        tokens = request.query.get("token")
        if tokens is None:
            return self._notice(language_for(request), News.MISSING)
        try:
            member = self._emails.inspect(tokens[-1])
        except (UnusableLink, Unavailable) as refusal:
            return self._refused(request, refusal)
        return confirmation_page(self._application, tokens[-1], language_for(request, member), member)

    def submit(self, request: Request, token: str) -> Response:
        """Confirm the address to which a link went, and lead to the page that says so."""
        member = None
        try:
            member = self._emails.inspect(token)
            self._emails.confirm(token)
        except (UnusableLink, MemberTaken, Unavailable) as refusal:
            return self._refused(request, refusal, member)
        return result_page(request, ADDRESS, language_for(request, member))

    def _refused(self, request: Request, refusal: Refusal, member: Member | None = None) -> Response:
        """Return a page without the button, which says why, to a member if it is known whose link it is."""
        news = News.TAKEN if isinstance(refusal, MemberTaken) else News.LATER
        if isinstance(refusal, UnusableLink):
            news, member = News.EXPIRED if refusal.expired else News.UNKNOWN, refusal.member
        return self._notice(language_for(request, member), news, *log_and_answer(self._log, request, refusal))

    def _notice(self, language: str, news: News, status: int = 200, headers: Headers = ()) -> Response:
        return notice(self._application, language, CONFIRMATIONS[language].notices[news], status, headers)


def confirmation_page(application: str, token: str, language: str, member: Member) -> Response:
    """Return the page with the button that confirms a member's pending address."""
    texts = CONFIRMATIONS[language]
    inside = render_template(
        "confirm_email.html",
        account=texts.account,
        username=member.username,
        address=texts.address,
        email=member.pending_email or "",
        advice=texts.advice,
        token=token,
        confirm=texts.confirm,
    )
    return Page(application, language, texts.heading, texts.heading, inside).response(200)


_CONFIRMATION = Shape(
    "confirmation", {"token": Field("The token of the link.", required=True)}, name="EmailConfirmation"
)
_BODIES = {
    "application/json": _CONFIRMATION,
    "application/xml": _CONFIRMATION,
    FORM_MEDIA_TYPE: _CONFIRMATION,
}
_QUERY = {
    "token": Parameter("The token of the link."),
    "result": Parameter("`done`: the page after the button."),
    "language": Parameter("The language of the page after the button."),
}
_PAGES = {
    200: ResponseSpec("The page with the button, or a page that says that the address is confirmed.", HTML),
    401: ResponseSpec("The link was used, has expired, or never was: the page says so.", HTML),
    503: ResponseSpec("The store does not say whose link it is: the page says so.", HTML, RETRY_AFTER),
}
_ANSWERS = {
    205: ResponseSpec("The address is confirmed."),
    303: ResponseSpec(
        "The address is confirmed by the button.", headers={"Location": "The page that says so."}
    ),
    401: ResponseSpec(
        "The token was used, has expired, or never was; after the button, a page says so.", HTML
    ),
    409: ResponseSpec("Another member has the address by now; after the button, a page says so.", HTML),
    415: ResponseSpec("The body is neither in the form that `format` chooses, nor from the page's form."),
    503: ResponseSpec(
        "The store does not say whether the address is confirmed; after the button, a page says so.",
        HTML,
        RETRY_AFTER,
    ),
}


def confirm_email_endpoint(emails: EmailChange, pages: ConfirmEmailPages) -> Endpoint:
    """Return the endpoint."""

    def show(request: Request, _: Caller | None) -> Response:
        return pages.show(request)

    def take(request: Request, _: Caller | None) -> Response:
        name = media_type.parse_media_type(request.header("content-type") or "").name
        if name == FORM_MEDIA_TYPE:
            return pages.submit(request, read_form(request, _CONFIRMATION)["token"])
        check_body_type(name)
        emails.confirm(read_body(request, _CONFIRMATION)["token"])
        return Response(205)

    page = "The page on which a member confirms a new e-mail address, for a browser."
    about = (
        "Make the e-mail address to which the token went the member's own. It works once, and for one hour."
    )
    return Endpoint(
        ADDRESS,
        {
            "GET": Operation(
                show,
                "showConfirmEmail",
                page,
                _PAGES,
                query=_QUERY,
                error_format=ErrorFormat.PROBLEM_JSON,
                has_format=False,
            ),
            "POST": Operation(take, "confirmEmail", about, _ANSWERS, _BODIES),
        },
    )
