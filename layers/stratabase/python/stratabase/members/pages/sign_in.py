"""The pages of signing in: the form with the ways to sign in, and why a sign-in has failed."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from stratabase.core.domain.issues.refusals import Refusal, Unavailable
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.media_type import best_match
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.pages.notices import NoticeLink, NoticeText, notice_page
from stratabase.core.http.pages.page import HtmlPage, Markup, render_elements, render_template
from stratabase.members.member import MAX_FOLDED_LENGTH
from stratabase.members.operations.password_reset import FORGOT_PASSWORD_PATH
from stratabase.values.messages import Message, _

_OFFERED = ("application/json", "application/xml", "text/html")


def prefers_page(request: Request) -> bool:
    """Return whether a response should be a page: a browser opens the address, and asks for no format."""
    accept = ",".join(request.headers.get("accept", ()))
    return "format" not in request.query and best_match(accept, _OFFERED) == "text/html"


class SignInForm(NamedTuple):
    """What the sign-in page has: where the sign-in ends, and what a submission keeps."""

    return_to: str
    challenge: str
    max_age: str
    """The seconds after which a person must sign in to a provider again; empty if the provider decides."""
    username: str = ""
    mistake: Message | None = None


class SignInPages:
    """The pages of signing in. `app_url`: the URL of the application, to which refusals lead."""

    def __init__(self, application: str, app_url: str | None = None) -> None:
        self._application = application
        self._app_url = app_url

    def show_form(
        self,
        request: Request,
        form: SignInForm,
        links: Sequence[tuple[Message, str]],
        status: int = 200,
        headers: Headers = (),
    ) -> Response:
        """Return the page with the form, and with a link for each provider: its label, and its address.

        It never contains a password from the previous submission.
        """
        language = response_language(request)
        heading = _("Sign in")
        title = _("Error: {heading}", heading=heading) if form.mistake else heading
        page = HtmlPage(
            self._application,
            language,
            heading,
            title,
            self._content(request, form, links, language),
            form_targets=(_form_target(form.return_to),),
        )
        return page.response(status, headers)

    def _content(
        self, request: Request, form: SignInForm, links: Sequence[tuple[Message, str]], language: str
    ) -> Markup:
        mistake = form.mistake
        marks = Markup(' aria-invalid="true" aria-describedby="error"' if mistake else "")
        return render_template(
            "sign_in.html",
            language,
            destination=self._destination(request, form.return_to, language),
            error=render_elements("p", [mistake] if mistake else [], language),
            error_focus=Markup(" autofocus" if mistake else ""),
            name_focus=Markup("" if mistake else " autofocus"),
            marks=marks,
            return_to=form.return_to,
            challenge=form.challenge,
            max_age=form.max_age,
            name_label=_("Username"),
            username=form.username,
            longest=str(MAX_FOLDED_LENGTH),
            password_label=_("Password"),
            sign_in=_("Sign in"),
            forgot_url=f"{request.base_url}{FORGOT_PASSWORD_PATH}",
            forgot=_("Forgot your password?"),
            providers=self._providers(links, language),
        )

    def _providers(self, links: Sequence[tuple[Message, str]], language: str) -> Markup:
        if not links:
            return Markup()
        ways = "".join(
            render_template(
                "sign_in_way.html", language, url=url, text=_("Sign in with {label}", label=label)
            )
            for label, url in links
        )
        return render_template("sign_in_ways.html", language, separator=_("or"), ways=Markup(ways))

    def _destination(self, request: Request, return_to: str, language: str) -> Markup:
        """Return where the person goes on, unless it is a page of this service."""
        if _origin(return_to) == _origin(request.base_url):
            return Markup()
        host = urlsplit(return_to).netloc
        return render_elements("p", [_("You continue to {host}.", host=host)], language)

    def refuse(
        self,
        request: Request,
        refusal: Refusal,
        status: int,
        headers: Headers = (),
        back: str | None = None,
    ) -> Response:
        """Return the page that says why a sign-in has failed. `back`: the address that leads on."""
        unavailable = isinstance(refusal, Unavailable)
        heading = _("Sign-in is temporarily unavailable") if unavailable else _("Sign-in failed")
        link = NoticeLink(back, _("Back to the application")) if back else self._to_application()
        text = NoticeText(heading, (refusal.message,), link)
        return notice_page(self._application, response_language(request), text, status, headers)

    def _to_application(self) -> NoticeLink | None:
        if self._app_url is None:
            return None
        return NoticeLink(self._app_url, _("Open {application}", application=self._application))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _form_target(return_to: str) -> str:
    """Return the source of a Content-Security-Policy to which the form leads at the end.

    Sources can't name the literal addresses of IPv6.
    """
    parts = urlsplit(return_to)
    return f"{parts.scheme}:" if parts.netloc.startswith("[") else _origin(return_to)
