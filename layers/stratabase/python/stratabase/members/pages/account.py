"""The account page, on which members see and change what belongs to their account.

The page has no data. Its script signs the member in through the sign-in page, and sends the requests that
every front end can send. It keeps the token in memory only.
"""

from collections.abc import Mapping

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.language import negotiate_language
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.pages.page import HtmlPage, Markup, render_template
from stratabase.values.messages import Message, _

ACCOUNT_PATH = "/public/account"
_SCRIPTS = (
    "sign_in.js",
    "account/session.js",
    "account/elements.js",
    "account/member.js",
    "account/sessions.js",
    "account/keys.js",
    "account/providers.js",
    "account/page.js",
)
_PARTS = ("formats", "email", "password", "sessions", "keys", "providers")
"""The templates of the parts of the page, in their order."""
_TEXTS: Mapping[str, Message] = {
    "no_script": _("This page requires JavaScript. Enable JavaScript in your browser."),
    "sign_in": _("Sign in"),
    "sign_out": _("Sign out"),
    "signed_in_as": _("Signed in as"),
    "save": _("Save"),
    "your_account": _("Your account"),
    # Formats.
    "formats": _("Language and formats"),
    "language_label": _("Language"),
    "time_zone": _("Time zone"),
    "time_zone_advice": _("The name of an IANA time zone, such as Europe/Rome."),
    "date_format": _("Date format"),
    "time_format": _("Time format"),
    "format_advice": _("A pattern such as dd/MM/yyyy or HH:mm, or iso for ISO 8601."),
    # Email and password.
    "email": _("Email address"),
    "email_now": _("Your email address:"),
    "new_email": _("New email address"),
    "change_email": _("Change email address"),
    "cancel_email": _("Cancel the change"),
    "password": _("Password"),
    "current_password": _("Current password"),
    "no_password_advice": _("Leave it empty if you have no password yet."),
    "new_password": _("New password"),
    "repeat_password": _("Confirm new password"),
    "change_password": _("Change password"),
    "show_passwords": _("Show passwords"),
    "password_advice": _("Changing it ends your sessions on all other devices."),
    # Sessions.
    "sessions": _("Sessions"),
    "sessions_advice": _("These are the devices and programs on which you are signed in."),
    "this_session": _("This session"),
    "since": _("Signed in"),
    "renewed": _("Last renewed"),
    "way": _("With"),
    "address": _("Address"),
    "end": _("End"),
    "end_others": _("End all other sessions"),
    # Keys.
    "keys": _("API keys"),
    "keys_advice": _(
        "A program sends a key instead of your password. It can do what you can do with data, but it can't "
        "change your account."
    ),
    "no_keys": _("You have no keys."),
    "key_name": _("Name of the new key"),
    "key_name_advice": _("What the key is for, such as nightly import."),
    "key_expiry": _("Valid for"),
    "days_30": _("30 days"),
    "days_90": _("90 days"),
    "days_365": _("1 year"),
    "days_none": _("no end"),
    "make_key": _("Create key"),
    "new_key": _("Your new key"),
    "new_key_advice": _("Copy it now. It is not shown again."),
    "copy": _("Copy"),
    "hide_key": _("Done"),
    "created": _("Created"),
    "expires": _("Expires"),
    "last_used": _("Last used"),
    "networks": _("Networks"),
    "profile": _("Profile"),
    # Providers.
    "providers": _("Other ways to sign in"),
    "providers_advice": _("With a linked account, you can sign in without your password."),
    "link": _("Link"),
    "unlink": _("Unlink"),
}
"""The texts of the templates, by placeholder."""
_SCRIPT_TEXTS: Mapping[str, Message] = {
    "beginning": _("Signing in…"),
    "reading": _("Loading your account…"),
    "insecure": _("Your browser allows signing in only over HTTPS. Open this page with an https:// address."),
    "failed": _("Sign-in failed. Try again."),
    "refused": _("Sign-in was canceled or refused."),
    "ended": _("Your session has ended. Sign in again."),
    "signedOut": _("You are signed out."),
    "unreachable": _("The service can't be reached. Check your connection, and try again."),
    "unexpected": _("The service responded with the status {status}.", status="{status}"),
    "stale": _("You signed in some time ago. To make this change, sign in again."),
    "again": _("Sign in again"),
    "saved": _("Saved."),
    "confirmEmail": _("We emailed a link to {email}. Open it to confirm the address.", email="{email}"),
    "different": _("The passwords don't match. Enter them again."),
    "missing": _("Fill in this field."),
    "passwordChanged": _("Your password is changed. Your other sessions have ended."),
    "sessionEnded": _("The session has ended."),
    "sessionsEnded": _("All other sessions have ended."),
    "byPassword": _("password"),
    "unknownDevice": _("Unknown device"),
    "keyEnded": _("The key has ended."),
    "never": _("never"),
    "everywhere": _("all"),
    "copied": _("Copied."),
    "linked": _("The account is linked."),
    "unlinked": _("The account is no longer linked."),
    "linkedSince": _("Linked since {since}", since="{since}"),
    "linking": _("Continue in the window that opened."),
    "linkFailed": _("The account was not linked. Try again."),
    "blocked": _("Your browser blocked the window. Allow pop-ups for this page, and try again."),
    "closeWindow": _("You can close this window."),
    "providerSignOut": _("Sign out of {label}, too", label="{label}"),
    "endNamed": _("End {name}", name="{name}"),
    "linkNamed": _("Link {label}", label="{label}"),
    "unlinkNamed": _("Unlink {label}", label="{label}"),
}
"""The texts of the script, by their names there. It replaces what is in braces."""


def account_page(application: str, language: str) -> Response:
    """Return the account page of an application in a language."""
    parts = Markup("".join(render_template(f"account/{name}.html", language, **_TEXTS) for name in _PARTS))
    data = Markup(
        "".join(
            render_template("account/text.html", language, name=name, text=text)
            for name, text in _SCRIPT_TEXTS.items()
        )
    )
    content = render_template("account/page.html", language, parts=parts, data=data, **_TEXTS)
    heading = _TEXTS["your_account"]
    page = HtmlPage(
        application, language, heading, heading, content, scripts=_SCRIPTS, connects=True, is_wide=True
    )
    return page.response(200)


def account_endpoint(application: str) -> Endpoint:
    """Return the endpoint of the account page."""

    def show_page(request: Request, _caller: Caller | None) -> Response:
        language = negotiate_language(request, request.query.get("language", ()))
        return account_page(application, language)

    operation = Operation(
        show_page,
        "showAccount",
        "The account page, on which members change their formats, email address, password, sessions, keys "
        "and links, for browsers.",
        {200: ResponseSpec("The page.", "text/html")},
        query={
            "language": Parameter("The language of the page, instead of what the browser accepts."),
            "code": Parameter("With this, a sign-in ends. Only the script of the page reads it."),
            "error": Parameter("Why a sign-in has failed. Only the script of the page reads it."),
            "linking": Parameter("`1`: a linking ends. Only the script of the page reads it."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation})
