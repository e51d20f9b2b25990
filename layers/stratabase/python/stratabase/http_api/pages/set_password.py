"""Set password."""

from collections.abc import Callable

from stratabase.domain.link import UnusableLink
from stratabase.domain.member import Caller
from stratabase.domain.password import canonical
from stratabase.domain.refusal import Refusal, Unavailable
from stratabase.http_api.http import media_type
from stratabase.http_api.http.body import FORM_MEDIA_TYPE, body_format_of, read_body, read_form
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.refusals import Headers, UnsupportedMediaType, log_and_answer
from stratabase.http_api.http.shape import Field, Shape
from stratabase.http_api.pages.link_pages import (
    DONE,
    RESULT,
    TEXTS,
    language_for,
    result_language,
    result_page,
)
from stratabase.http_api.pages.page import notice
from stratabase.http_api.pages.password_form import FormState, PasswordForm
from stratabase.http_api.pages.texts import FormError, Notice
from stratabase.observe import Log
from stratabase.operations.recovery import ADDRESS, Recovery, WeakPassword


class SetPasswordPages:
    """Answers with pages, in the language of the link's member, or else in one that the browser asks for."""

    def __init__(self, recovery: Recovery, application: str, shortest: int, log: Log) -> None:
        self._recovery = recovery
        self._application = application
        self._form = PasswordForm(application, shortest)
        self._log = log

    def show(self, request: Request) -> Response:
        """Return the form for a link, or what else there is to say."""
        if request.query.get(RESULT) == (DONE,):
            return self._notice(result_language(request), Notice.DONE)
        tokens = request.query.get("token")
        if tokens is None:
            return self._notice(language_for(request), Notice.MISSING)
        return self._admitted(request, tokens[-1], self._form)

    def submit(self, request: Request, token: str, password: str, repeat: str) -> Response:
        """Set the password that came by the form, and lead to the page that says so."""
        return self._admitted(request, token, lambda asked: self._taken(request, asked, password, repeat))

    def _admitted(self, request: Request, token: str, answer: Callable[[FormState], Response]) -> Response:
        """Return the answer to a link's member, or the page that says why there is none."""
        try:
            return answer(self._asked(request, token))
        except UnusableLink as refusal:
            news = Notice.EXPIRED if refusal.expired else Notice.UNKNOWN
            return self._refused(request, refusal, language_for(request, refusal.member), news)
        except Unavailable as refusal:
            return self._refused(request, refusal, language_for(request), Notice.LATER)

    def _asked(self, request: Request, token: str) -> FormState:
        member = self._recovery.inspect(token)
        return FormState(language_for(request, member), token, member.username)

    def _taken(self, request: Request, asked: FormState, password: str, repeat: str) -> Response:
        if canonical(password) != canonical(repeat):
            return self._form(asked._replace(mistakes=(FormError.DIFFERENT,)), 400)
        try:
            self._recovery.finish(asked.token, password)
        except WeakPassword as refusal:
            return self._again(request, refusal, asked._replace(mistakes=refusal.weaknesses))
        except Unavailable as refusal:
            return self._again(request, refusal, asked._replace(mistakes=(FormError.LATER,)))
        return result_page(request, ADDRESS, asked.language)

    def _again(self, request: Request, refusal: Refusal, asked: FormState) -> Response:
        """Return the form with what was wrong."""
        return self._form(asked, *log_and_answer(self._log, request, refusal))

    def _refused(self, request: Request, refusal: Refusal, language: str, news: Notice) -> Response:
        """Return a page without the form, which says why."""
        return self._notice(language, news, *log_and_answer(self._log, request, refusal))

    def _notice(self, language: str, news: Notice, status: int = 200, headers: Headers = ()) -> Response:
        return notice(self._application, language, TEXTS[language].notices[news], status, headers)


HTML = "text/html"
_TOKEN = Field("The token of the link.", required=True)
_PASSWORD = Field("The new password.", required=True, format="password")
_CHOICE = Shape("credentials", {"token": _TOKEN, "password": _PASSWORD}, name="NewPassword")
_FORM = Shape(
    "form",
    {
        "token": _TOKEN,
        "password": _PASSWORD,
        "repeat": Field("The new password, once more.", required=True, format="password"),
        "username": Field("Not used: it is there for those who remember passwords."),
    },
    name="NewPasswordForm",
)
_BODIES = {"application/json": _CHOICE, "application/xml": _CHOICE, FORM_MEDIA_TYPE: _FORM}
RETRY_AFTER = {"Retry-After": "When to try again, in seconds."}
_QUERY = {
    "token": Parameter("The token of the link."),
    "result": Parameter("`done`: the page after the form."),
    "language": Parameter("The language of the page after the form."),
}
_PAGES = {
    200: ResponseSpec("The page to set a password on, or a page that says that it is set.", HTML),
    401: ResponseSpec("The link was used, has expired, or never was: the page says so.", HTML),
    503: ResponseSpec("The store does not say whose link it is: the page says so.", HTML, RETRY_AFTER),
}
_ANSWERS = {
    205: ResponseSpec("The password is set."),
    303: ResponseSpec(
        "The password that came by the form is set.", headers={"Location": "The page that says so."}
    ),
    400: ResponseSpec(
        "The password may not be chosen, or the body cannot be read; the form's page says why.", HTML
    ),
    401: ResponseSpec("The token was used, has expired, or never was; after the form, a page says so.", HTML),
    415: ResponseSpec("The body is neither in the form that `format` chooses, nor from the page's form."),
    503: ResponseSpec(
        "The store does not say whether the password is set; after the form, a page says so.",
        HTML,
        RETRY_AFTER,
    ),
}


def set_password_endpoint(recovery: Recovery, visits: SetPasswordPages) -> Endpoint:
    """Return the endpoint."""

    def show(request: Request, _: Caller | None) -> Response:
        return visits.show(request)

    def take(request: Request, _: Caller | None) -> Response:
        name = media_type.parse_media_type(request.header("content-type") or "").name
        if name == FORM_MEDIA_TYPE:
            fields = read_form(request, _FORM)
            return visits.submit(request, fields["token"], fields["password"], fields["repeat"])
        check_body_type(name)
        choice = read_body(request, _CHOICE)
        recovery.finish(choice["token"], choice["password"])
        return Response(205)

    page = "The page on which a member sets a password, for a browser."
    choice = "Set the password of the member who has the token. It works once, and for one hour."
    return Endpoint(
        ADDRESS,
        {
            "GET": Operation(
                show,
                "showSetPassword",
                page,
                _PAGES,
                query=_QUERY,
                error_format=ErrorFormat.PROBLEM_JSON,
                has_format=False,
            ),
            "POST": Operation(take, "setPassword", choice, _ANSWERS, _BODIES),
        },
    )


def check_body_type(name: str) -> None:
    """Raise UnsupportedMediaType for a body that is meant to be something else than is read here."""
    if name and body_format_of(name) is None:
        raise UnsupportedMediaType(f"The body must be JSON, XML or {FORM_MEDIA_TYPE}, not {name}.")
