"""The endpoint that sets a password with a mailed token: a page with a form, and JSON or XML for programs."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refusal, Unavailable
from stratabase.core.http.base.body import FORM_MEDIA_TYPE
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.language import response_language
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import log_refusal
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.pages.notices import password_notices
from stratabase.core.http.pages.page import HtmlPage, Markup, render_elements, render_template
from stratabase.core.observe import Log
from stratabase.members.member import Member
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.pages.link_pages import (
    HTML,
    RETRY_AFTER,
    LinkPages,
    read_submission,
    show_page_operation,
)
from stratabase.members.password import MAX_PASSWORD_LENGTH, Weakness, normalize_password, weakness_advice
from stratabase.members.refusals import WeakPassword
from stratabase.values.messages import Message, _


class FormError(Enum):
    """The mistakes in a form other than a weak password."""

    DIFFERENT = auto()
    LATER = auto()


FormMistake = Weakness | FormError
_ERROR_MESSAGES: Mapping[FormError, Message] = {
    FormError.DIFFERENT: _("The passwords don't match. Enter them again."),
    FormError.LATER: _("The password can't be set right now. Try again in a minute."),
}
_SCRIPT_MISTAKES: Mapping[str, FormMistake] = {
    "short": Weakness.SHORT,
    "long": Weakness.LONG,
    "different": FormError.DIFFERENT,
}
"""The mistakes that the script of the page detects, by the placeholder of the message in the template."""


class FormState(NamedTuple):
    """The member whose password the form sets, and the mistakes of the previous submission."""

    language: str
    token: str
    username: str
    mistakes: tuple[FormMistake, ...] = ()


class PasswordForm:
    """The form that sets a password. `min_length` is the minimum length of a password."""

    def __init__(self, application: str, min_length: int) -> None:
        self._application = application
        self._min_length = min_length

    def __call__(self, state: FormState, status: int = 200, headers: Headers = ()) -> Response:
        """Return the page with the form. It never contains a password from the previous submission."""
        heading = _("Choose your password")
        title = _("Error: {heading}", heading=heading) if state.mistakes else heading
        content = self._render(state)
        page = HtmlPage(
            self._application, state.language, heading, title, content, scripts=("set_password.js",)
        )
        return page.response(status, headers)

    def _render(self, state: FormState) -> Markup:
        return render_template(
            "set_password.html",
            state.language,
            token=state.token,
            username=state.username,
            policy=render_elements("li", self._policy(), state.language),
            account=_("Account:"),
            new=_("New password"),
            repeat=_("Confirm new password"),
            show=_("Show passwords"),
            hide=_("Hide passwords"),
            set=_("Set password"),
            shortest=str(self._min_length),
            longest=str(MAX_PASSWORD_LENGTH),
            **{name: self._message(mistake) for name, mistake in _SCRIPT_MISTAKES.items()},
            **self._error_values(state),
        )

    def _policy(self) -> Sequence[Message]:
        length = _(
            "Use {shortest} to {longest} characters of any kind. A phrase of several words works well.",
            shortest=self._min_length,
            longest=MAX_PASSWORD_LENGTH,
        )
        others = _("Don't use your username, your email address, or a common password.")
        return length, others

    def _error_values(self, state: FormState) -> dict[str, str]:
        """Return the template values that show the mistakes and mark the fields for screen readers."""
        mistakes = state.mistakes
        weak = any(isinstance(mistake, Weakness) for mistake in mistakes)
        return {
            "error": render_elements("p", map(self._message, mistakes), state.language),
            "focus": Markup(" autofocus" if mistakes else ""),
            "password_marks": _aria_attributes("policy", invalid=weak),
            "repeat_marks": _aria_attributes("", invalid=FormError.DIFFERENT in mistakes),
        }

    def _message(self, mistake: FormMistake) -> Message:
        if isinstance(mistake, FormError):
            return _ERROR_MESSAGES[mistake]
        return weakness_advice(mistake, self._min_length)


def _aria_attributes(description_id: str, *, invalid: bool) -> Markup:
    """Return the ARIA attributes of a field: the id of its description, and whether its value is invalid."""
    ids = f"error {description_id}".strip() if invalid else description_id
    described = f' aria-describedby="{ids}"' if ids else ""
    return Markup(f'{described} aria-invalid="true"' if invalid else described)


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

    def set_password(request: Request, _caller: Caller | None) -> Response:
        fields, is_form = read_submission(request, _BODY, _FORM)
        if is_form:
            return pages.submit(request, fields["token"], fields["password"], fields["repeat"])
        password_reset.finish(fields["token"], fields["password"])
        return Response(205)

    get = show_page_operation(pages.show, "showSetPassword", "sets a password", "form")
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
