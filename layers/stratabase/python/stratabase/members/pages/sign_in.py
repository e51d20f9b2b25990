"""The pages of signing in: the ways to sign in, and why a sign-in with a provider has failed."""

from collections.abc import Sequence

from stratabase.core.domain.issues.refusals import Refusal, Unavailable
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.media_type import best_match
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.pages.notices import NoticeLink, NoticeText, notice_page
from stratabase.core.http.pages.page import HtmlPage, Markup, render_template
from stratabase.values.messages import Message, _

_OFFERED = ("application/json", "application/xml", "text/html")


def prefers_page(request: Request) -> bool:
    """Return whether a response should be a page: a browser opens the address, and asks for no format."""
    accept = ",".join(request.headers.get("accept", ()))
    return "format" not in request.query and best_match(accept, _OFFERED) == "text/html"


class SignInPages:
    """The pages of signing in. `app_url`: the URL of the application, to which they lead."""

    def __init__(self, application: str, app_url: str | None = None) -> None:
        self._application = application
        self._app_url = app_url

    def show_ways(self, request: Request, links: Sequence[tuple[Message, str]], headers: Headers) -> Response:
        """Return the page with a link for each provider: its label, and its address."""
        language = response_language(request)
        heading = _("Sign in")
        if not links:
            paragraph = _("To sign in, open the application that uses this service.")
            return self._notice(request, NoticeText(heading, (paragraph,), self._to_application()), headers)
        items = "".join(
            render_template(
                "sign_in_way.html", language, url=url, text=_("Sign in with {label}", label=label)
            )
            for label, url in links
        )
        content = render_template("sign_in.html", language, ways=Markup(items))
        return HtmlPage(self._application, language, heading, heading, content).response(200, headers)

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
        return self._notice(request, NoticeText(heading, (refusal.message,), link), headers, status)

    def _notice(self, request: Request, text: NoticeText, headers: Headers, status: int = 200) -> Response:
        return notice_page(self._application, response_language(request), text, status, headers)

    def _to_application(self) -> NoticeLink | None:
        if self._app_url is None:
            return None
        return NoticeLink(self._app_url, _("Open {application}", application=self._application))
