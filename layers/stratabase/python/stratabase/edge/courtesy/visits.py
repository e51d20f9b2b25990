"""What a person with a browser gets at the address of a link."""

from collections.abc import Callable

from stratabase.domain.link import UnusableLink
from stratabase.domain.password import canonical
from stratabase.domain.refusal import Refusal, Unavailable
from stratabase.edge.courtesy.form import Asked, PasswordForm
from stratabase.edge.courtesy.languages import TEXTS, language_for, language_of
from stratabase.edge.courtesy.notice import notice
from stratabase.edge.courtesy.texts import News, Trouble
from stratabase.edge.noting import noted
from stratabase.edge.refusals import Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.observe import Log
from stratabase.operations.recovery import ADDRESS, Recovery, WeakPassword

RESULT, DONE = "result", "done"
LANGUAGE = "language"


class Visits:
    """Answers with pages, in the language of the link's member, or else in one that the browser asks for."""

    def __init__(self, recovery: Recovery, application: str, shortest: int, log: Log) -> None:
        self._recovery = recovery
        self._application = application
        self._form = PasswordForm(application, shortest)
        self._log = log

    def show(self, request: Request) -> Response:
        """Return the form for a link, or what else there is to say."""
        if request.query.get(RESULT) == (DONE,):
            return self._notice(result_language(request), News.DONE)
        tokens = request.query.get("token")
        if tokens is None:
            return self._notice(language_for(request), News.MISSING)
        return self._admitted(request, tokens[-1], self._form)

    def take(self, request: Request, token: str, password: str, repeat: str) -> Response:
        """Set the password that came by the form, and lead to the page that says so."""
        return self._admitted(request, token, lambda asked: self._taken(request, asked, password, repeat))

    def _admitted(self, request: Request, token: str, answer: Callable[[Asked], Response]) -> Response:
        """Return the answer to a link's member, or the page that says why there is none."""
        try:
            return answer(self._asked(request, token))
        except UnusableLink as refusal:
            news = News.EXPIRED if refusal.expired else News.UNKNOWN
            return self._refused(request, refusal, language_for(request, refusal.member), news)
        except Unavailable as refusal:
            return self._refused(request, refusal, language_for(request), News.LATER)

    def _asked(self, request: Request, token: str) -> Asked:
        member = self._recovery.inspect(token)
        return Asked(language_for(request, member), token, member.username)

    def _taken(self, request: Request, asked: Asked, password: str, repeat: str) -> Response:
        if canonical(password) != canonical(repeat):
            return self._form(asked._replace(mistakes=(Trouble.DIFFERENT,)), 400)
        try:
            self._recovery.finish(asked.token, password)
        except WeakPassword as refusal:
            return self._again(request, refusal, asked._replace(mistakes=refusal.weaknesses))
        except Unavailable as refusal:
            return self._again(request, refusal, asked._replace(mistakes=(Trouble.LATER,)))
        return result_page(request, ADDRESS, asked.language)

    def _again(self, request: Request, refusal: Refusal, asked: Asked) -> Response:
        """Return the form with what was wrong."""
        return self._form(asked, *noted(self._log, request, refusal))

    def _refused(self, request: Request, refusal: Refusal, language: str, news: News) -> Response:
        """Return a page without the form, which says why."""
        return self._notice(language, news, *noted(self._log, request, refusal))

    def _notice(self, language: str, news: News, status: int = 200, headers: Headers = ()) -> Response:
        return notice(self._application, language, TEXTS[language].notices[news], status, headers)


def result_page(request: Request, address: str, language: str) -> Response:
    """Return what leads a browser from a form to the page that says that all is done."""
    location = f"{request.base_url}{address}?{RESULT}={DONE}&{LANGUAGE}={language}"
    return Response(303, (("Location", location),))


def result_language(request: Request) -> str:
    """Return the language of that page."""
    return language_of(request.query.get(LANGUAGE, ()), request.header("accept-language") or "")
