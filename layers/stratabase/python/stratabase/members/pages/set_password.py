"""The endpoint that sets a password with a mailed token: a page with a form, and JSON or XML for programs."""

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refusal, Unavailable
from stratabase.core.http.base.body import FORM_MEDIA_TYPE
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.refusals import log_refusal
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.pages.notices import password_notices
from stratabase.core.observe import Log
from stratabase.members.member import Member
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.pages.link_pages import (
    HTML,
    RETRY_AFTER,
    TOKEN_PARAMETER,
    LinkPages,
    read_submission,
)
from stratabase.members.pages.password_form import FormError, FormMistake, FormState, PasswordForm
from stratabase.members.password import normalize_password
from stratabase.members.refusals import WeakPassword

_TOKEN = Field("The token of the link.", required=True)
_PASSWORD = Field("The new password.", required=True, format="password")
_BODY = Shape("credentials", {"token": _TOKEN, "password": _PASSWORD}, name="NewPassword")
_FORM = Shape(
    "form",
    {
        "token": _TOKEN,
        "password": _PASSWORD,
        "repeat": Field("The new password again.", required=True, format="password"),
        "username": Field("Not used by the service: it is for password managers."),
    },
    name="NewPasswordForm",
)


class SetPasswordPages:
    """The pages on which a member sets a password."""

    def __init__(
        self,
        password_reset: PasswordReset,
        application: str,
        min_length: int,
        log: Log,
        app_url: str | None = None,
    ) -> None:
        """`min_length`: the minimum length of a password. `app_url`: where the page leads at the end."""
        self._password_reset = password_reset
        self._form = PasswordForm(application, min_length)
        notices = password_notices(application, app_url)
        self._pages = LinkPages(application, notices, password_reset.inspect, log)

    def show(self, request: Request) -> Response:
        """Return the page with the form, or a notice if the link does not work."""

        def form(token: str, member: Member) -> Response:
            return self._form(FormState(response_language(request, member), token, member.username))

        return self._pages.show(request, form)

    def submit(self, request: Request, token: str, password: str, repeat: str) -> Response:
        """Set the password and return a redirect, or return the form with its mistakes, or a notice."""

        def set_password(token: str, member: Member) -> Response:
            state = FormState(response_language(request, member), token, member.username)
            if normalize_password(password) != normalize_password(repeat):
                return self._form(state._replace(mistakes=(FormError.DIFFERENT,)), 400)
            try:
                self._password_reset.finish(token, password)
            except WeakPassword as refusal:
                return self._ask_again(request, state, refusal, refusal.weaknesses)
            except Unavailable as refusal:
                return self._ask_again(request, state, refusal, (FormError.LATER,))
            return self._pages.redirect_to_done(request, member)

        return self._pages.respond(request, token, set_password)

    def _ask_again(
        self, request: Request, state: FormState, refusal: Refusal, mistakes: tuple[FormMistake, ...]
    ) -> Response:
        status, headers = log_refusal(self._pages.log, request, refusal)
        return self._form(state._replace(mistakes=mistakes), status, headers)


def set_password_endpoint(password_reset: PasswordReset, pages: SetPasswordPages) -> Endpoint:
    """Return the endpoint that sets passwords."""

    def show_page(request: Request, _caller: Caller | None) -> Response:
        return pages.show(request)

    def set_password(request: Request, _caller: Caller | None) -> Response:
        fields, is_form = read_submission(request, _BODY, _FORM)
        if is_form:
            return pages.submit(request, fields["token"], fields["password"], fields["repeat"])
        password_reset.finish(fields["token"], fields["password"])
        return Response(205)

    get = Operation(
        show_page,
        "showSetPassword",
        "The page on which a member sets a password, for browsers.",
        {
            200: ResponseSpec("The page with the form, or the page after it.", HTML),
            401: ResponseSpec("The link was used, has expired, or was never sent. The page says so.", HTML),
            503: ResponseSpec("The store is not available. The page says so.", HTML, RETRY_AFTER),
        },
        query={
            **TOKEN_PARAMETER,
            "result": Parameter("`done`: the page after the form."),
            "language": Parameter("The language of the page after the form."),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    post = Operation(
        set_password,
        "setPassword",
        "Set the password of the member to whom the token was mailed. A token works once and for one hour.",
        {
            205: ResponseSpec("The password was set."),
            303: ResponseSpec(
                "The password was set through the form.", headers={"Location": "The page that says so."}
            ),
            400: ResponseSpec(
                "The password is not acceptable, or the body is not valid. The page of the form says why.",
                HTML,
            ),
            401: ResponseSpec(
                "The token was used, has expired, or was never sent. After the form, a page says so.", HTML
            ),
            415: ResponseSpec(
                "The request body is neither in the format of the parameter `format` "
                "nor from the form of the page."
            ),
            503: ResponseSpec(
                "The store does not say whether the password is set. After the form, a page says so.",
                HTML,
                RETRY_AFTER,
            ),
        },
        {"application/json": _BODY, "application/xml": _BODY, FORM_MEDIA_TYPE: _FORM},
    )
    return Endpoint({"GET": get, "POST": post})
