"""The endpoint that mails a link to somebody who forgot the password: a page, and JSON or XML for programs.

Its responses do not depend on whether a member exists.
"""

from collections.abc import Callable

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.body import FORM_MEDIA_TYPE, body_response
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.pages.notices import NoticeText, notice_page
from stratabase.core.http.pages.page import HtmlPage, Markup, render_elements, render_template
from stratabase.members.member import MAX_FOLDED_LENGTH
from stratabase.members.pages.link_pages import HTML, RETRY_AFTER, read_submission
from stratabase.values.messages import Message, _

_BODY = Shape(
    "forgottenPassword",
    {
        "username": Field("The member's username.", max_length=MAX_FOLDED_LENGTH, example="rosa"),
        "email": Field("The member's email address, instead of the username.", max_length=MAX_FOLDED_LENGTH),
    },
    name="ForgottenPassword",
)
_FORM = Shape(
    "form",
    {
        "name": Field("The member's username or email address.", max_length=MAX_FOLDED_LENGTH),
        **_BODY.fields,
    },
    name="ForgottenPasswordForm",
)
_ACCEPTED = Shape(
    "accepted", {"detail": Field("What happens now.", required=True)}, name="ForgottenPasswordAccepted"
)
RequestLink = Callable[[str, str, str], None]
"""Queues a mail to the member with a name, requested from a network address, with a link below a base URL."""
_HEADING = _("Forgot your password?")
ON_ITS_WAY = _("If a member has this name, an email with a link is on its way.")
"""The answer to programs, for every name."""
MISSING_NAME = _("Enter your username or your email address.")
"""The error of a form without a name."""


class ForgotPasswordPages:
    """The pages on which people request a link because they forgot their password."""

    def __init__(self, request_link: RequestLink, application: str) -> None:
        self._request_link = request_link
        self._application = application

    def show(self, request: Request) -> Response:
        """Return the page with the form."""
        return forgot_form(self._application, response_language(request))

    def submit(self, request: Request, name: str) -> Response:
        """Queue the mail, and return the page that says so. It is the same for every name."""
        if not name.strip():
            return forgot_form(self._application, response_language(request), MISSING_NAME, 400)
        self._request_link(name.strip(), request.source_address, request.base_url)
        return notice_page(self._application, response_language(request), sent_notice(self._application), 202)


def forgot_form(application: str, language: str, error: Message | None = None, status: int = 200) -> Response:
    """Return the page with the form, and with the error of the previous submission."""
    content = render_template(
        "forgot_password.html",
        language,
        advice=_(
            "Enter your username or your email address. If you have an account, we'll email you a link to "
            "choose a new password."
        ),
        error=render_elements("p", [error] if error else [], language),
        focus=Markup(" autofocus" if error else ""),
        marks=Markup(' aria-invalid="true" aria-describedby="error"' if error else ""),
        label=_("Username or email address"),
        send=_("Send link"),
    )
    title = _("Error: {heading}", heading=_HEADING) if error else _HEADING
    return HtmlPage(application, language, _HEADING, title, content).response(status)


def sent_notice(application: str) -> NoticeText:
    """Return the page after the form, which is the same for every name."""
    return NoticeText(
        _("Check your email"),
        (
            _(
                "If you have an account in {application}, you'll get an email with a link within a few "
                "minutes. The link is valid for one hour.",
                application=application,
            ),
            _(
                "If no email arrives, check the spelling and your spam folder. If you requested several "
                "links, you can use any of them. If nothing helps, contact an administrator."
            ),
        ),
    )


def forgot_password_endpoint(request_link: RequestLink, pages: ForgotPasswordPages) -> Endpoint:
    """Return the endpoint that mails links to people who forgot their password."""

    def show_page(request: Request, _caller: Caller | None) -> Response:
        return pages.show(request)

    def forgot_password(request: Request, _caller: Caller | None) -> Response:
        fields, is_form = read_submission(request, _BODY, _FORM)
        if is_form and "name" in fields:
            return pages.submit(request, fields["name"])
        names = [name for field in _BODY.fields if (name := (fields.get(field) or "").strip())]
        if len(names) != 1:
            raise Malformed(_('Send either "username" or "email".'))
        request_link(names[0], request.source_address, request.base_url)
        detail = ON_ITS_WAY.in_language(response_language(request))
        return body_response(request, 202, _ACCEPTED, {"detail": detail})

    get = Operation(
        show_page,
        "showForgotPassword",
        "The page on which people request a link to set a password, for browsers.",
        {200: ResponseSpec("The page with the form.", HTML)},
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    post = Operation(
        forgot_password,
        "forgotPassword",
        "Email a link to set a new password to the member with a username or an email address. The response "
        "does not depend on whether such a member exists. Within an hour, at most 3 emails are sent to a "
        "member, and for 20 requests of a network address. Further requests get the same response.",
        {
            202: ResponseSpec(
                "If there is such a member, an email is on its way. After the form, a page says so.",
                (HTML, {"application/json": _ACCEPTED, "application/xml": _ACCEPTED}),
            ),
            400: ResponseSpec("The body is not valid. The page of the form says why.", HTML),
            415: ResponseSpec(
                "The request body is neither in the format of the parameter `format` "
                "nor from the form of the page."
            ),
            503: ResponseSpec("The service is busy.", headers=RETRY_AFTER),
        },
        {"application/json": _BODY, "application/xml": _BODY, FORM_MEDIA_TYPE: _FORM},
    )
    return Endpoint({"GET": get, "POST": post})
