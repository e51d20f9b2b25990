"""The pages without a form, which report the success of a link, or why it does not work."""

from collections.abc import Mapping
from enum import Enum, auto

from stratabase.core.http.base.messages import Headers, Response
from stratabase.core.http.pages.page import HtmlPage, Markup, render_elements, render_template
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _


class Notice(Enum):
    """The kinds of pages without a form: success, or a reason why the link does not work."""

    DONE = auto()
    EXPIRED = auto()
    UNKNOWN = auto()
    TAKEN = auto()
    """Another member has the email address."""
    MISSING = auto()
    """The URL of the page has no token."""
    LATER = auto()


@frozen
class NoticeLink:
    """Where a page without a form leads. `url` is absolute, or relative to the page."""

    url: str
    text: Message


@frozen
class NoticeText:
    """The heading, the paragraphs and the link of a page without a form."""

    heading: Message
    paragraphs: tuple[Message, ...]
    link: NoticeLink | None = None


Notices = Mapping[Notice, NoticeText]


def notice_page(
    application: str, language: str, text: NoticeText, status: int = 200, headers: Headers = ()
) -> Response:
    """Return the response with a page that shows a notice."""
    content = render_elements("p", text.paragraphs, language)
    if text.link is not None:
        link = render_template("notice_link.html", language, url=text.link.url, text=text.link.text)
        content = Markup(content + link)
    return HtmlPage(application, language, text.heading, text.heading, content).response(status, headers)


def not_found_notice(reason: Message, base_url: str) -> NoticeText:
    """Return the notice for an address that does not exist. `base_url`: the root URL of the service."""
    return NoticeText(_("Page not found"), (reason,), NoticeLink(f"{base_url}/", _("Go to the start page")))


_EXPIRED = _("This link has expired")
_UNUSABLE = _("This link doesn't work")
_ONE_HOUR = _("Links are valid for one hour. No changes were made.")
_LATER = NoticeText(
    _("This page is temporarily unavailable"),
    (_("Your link is still valid. Try again in a minute."),),
)


def password_notices(application: str, app_url: str | None = None) -> Notices:
    """Return the notices of the page on which members set a password. `app_url`: see the setting."""
    return {
        Notice.DONE: NoticeText(
            _("Your password is set"),
            (
                _(
                    "From now on, sign in to {application} with your new password.",
                    application=application,
                ),
                _("You might need to sign in again on other devices. You can close this page."),
            ),
            _app_link(application, app_url),
        ),
        Notice.EXPIRED: NoticeText(
            _EXPIRED,
            (_ONE_HOUR,),
            NoticeLink("forgotPassword", _("Request a new link")),
        ),
        Notice.UNKNOWN: NoticeText(
            _UNUSABLE,
            (
                _("It was already used, your password was changed in another way, or part of it is missing."),
                _("If you just set your password, use it to sign in."),
                _("Otherwise, request a new link."),
            ),
            NoticeLink("forgotPassword", _("Request a new link")),
        ),
        Notice.MISSING: NoticeText(
            _("Choose your password"),
            (
                _(
                    "To choose a password, open the link in the email that {application} sent you.",
                    application=application,
                ),
            ),
        ),
        Notice.LATER: _LATER,
    }


def _app_link(application: str, app_url: str | None) -> NoticeLink | None:
    """Return the link that leads a member on, if the settings say where."""
    return NoticeLink(app_url, _("Open {application}", application=application)) if app_url else None


def confirmation_notices(application: str, app_url: str | None = None) -> Notices:
    """Return the notices of the page on which members confirm an address. `app_url`: see the setting."""
    return {
        Notice.DONE: NoticeText(
            _("Your email address is confirmed"),
            (
                _(
                    "From now on, {application} sends email to your new address. You can close this page.",
                    application=application,
                ),
            ),
            _app_link(application, app_url),
        ),
        Notice.EXPIRED: NoticeText(
            _EXPIRED,
            (
                _ONE_HOUR,
                _(
                    "To get a new link, change your email address in {application} again.",
                    application=application,
                ),
            ),
        ),
        Notice.UNKNOWN: NoticeText(
            _UNUSABLE,
            (
                _("It was already used or canceled, a newer link replaced it, or part of it is missing."),
                _("If you just confirmed your address, you don't need to do anything."),
                _(
                    "Otherwise, open the link in the most recent email, or change your address in "
                    "{application} again.",
                    application=application,
                ),
            ),
        ),
        Notice.TAKEN: NoticeText(
            _("This address belongs to another account"),
            (
                _(
                    "Another account in {application} now has this email address. No changes were made.",
                    application=application,
                ),
                _(
                    "Use a different address, or contact an administrator of {application}.",
                    application=application,
                ),
            ),
        ),
        Notice.MISSING: NoticeText(
            _("Confirm your email address"),
            (
                _(
                    "To confirm an email address, open the link in the email that {application} sent to "
                    "that address.",
                    application=application,
                ),
            ),
        ),
        Notice.LATER: _LATER,
    }
