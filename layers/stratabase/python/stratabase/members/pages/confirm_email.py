"""The endpoint that confirms a new email address: a page with a button, and JSON or XML for programs."""

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.body import FORM_MEDIA_TYPE
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.pages.notices import confirmation_notices
from stratabase.core.http.pages.page import HtmlPage, render_template
from stratabase.core.observe import Log
from stratabase.members.member import Member
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.pages.link_pages import (
    HTML,
    RETRY_AFTER,
    LinkPages,
    read_submission,
    show_page_operation,
)
from stratabase.values.messages import _

_BODY = Shape(
    "confirmation", {"token": Field("The token of the link.", required=True)}, name="EmailConfirmation"
)


class ConfirmEmailPages:
    """The pages on which a member confirms a new email address."""

    def __init__(
        self, email_change: EmailChange, application: str, log: Log, app_url: str | None = None
    ) -> None:
        """`app_url`: where the page leads at the end."""
        self._email_change = email_change
        notices = confirmation_notices(application, app_url)
        self._pages = LinkPages(application, notices, email_change.inspect, log)

    def show(self, request: Request) -> Response:
        """Return the page with the button, or a notice if the link does not work."""

        def button(token: str, member: Member) -> Response:
            language = response_language(request, member)
            return confirmation_page(self._pages.application, token, language, member)

        return self._pages.show(request, button)

    def submit(self, request: Request, token: str) -> Response:
        """Confirm the address to which the token was mailed, and return a redirect or a notice."""

        def confirm(token: str, member: Member) -> Response:
            self._email_change.confirm(token)
            return self._pages.redirect_to_done(request, member)

        return self._pages.respond(request, token, confirm)


def confirmation_page(application: str, token: str, language: str, member: Member) -> Response:
    """Return the page with the button that confirms a member's pending address."""
    heading = _("Confirm your email address")
    content = render_template(
        "confirm_email.html",
        language,
        account=_("Account:"),
        username=member.username,
        address=_("New email address:"),
        email=member.pending_email or "",
        advice=_(
            "If you didn't request this, or if the account isn't yours, close this page. Nothing will change."
        ),
        token=token,
        confirm=_("Confirm address"),
    )
    return HtmlPage(application, language, heading, heading, content).response(200)


def confirm_email_endpoint(email_change: EmailChange, pages: ConfirmEmailPages) -> Endpoint:
    """Return the endpoint that confirms email addresses."""

    def confirm_email(request: Request, _caller: Caller | None) -> Response:
        fields, is_form = read_submission(request, _BODY, _BODY)
        if is_form:
            return pages.submit(request, fields["token"])
        email_change.confirm(fields["token"])
        return Response(205)

    get = show_page_operation(pages.show, "showConfirmEmail", "confirms a new email address", "button")
    post = Operation(
        confirm_email,
        "confirmEmail",
        "Confirm the email address to which the token was mailed. A token works once and for one hour.",
        {
            205: ResponseSpec("The address was confirmed."),
            303: ResponseSpec(
                "The address was confirmed through the button.",
                headers={"Location": "The page that says so."},
            ),
            401: ResponseSpec(
                "The token was used, has expired, or was never sent. After the button, a page says so.", HTML
            ),
            409: ResponseSpec("Another member has the address now. After the button, a page says so.", HTML),
            415: ResponseSpec(
                "The request body is neither in the format of the parameter `format` "
                "nor from the form of the page."
            ),
            503: ResponseSpec(
                "The store does not say whether the address is confirmed. After the button, a page says so.",
                HTML,
                RETRY_AFTER,
            ),
        },
        {"application/json": _BODY, "application/xml": _BODY, FORM_MEDIA_TYPE: _BODY},
    )
    return Endpoint({"GET": get, "POST": post})
