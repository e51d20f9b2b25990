"""The page with the form that sets a password."""

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

from stratabase.core.http.base.messages import Headers, Response
from stratabase.core.http.pages.page import Markup, Page, render_elements, render_template
from stratabase.members.password import MAX_PASSWORD_LENGTH, Weakness, weakness_advice
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
        page = Page(self._application, state.language, heading, title, content, has_script=True)
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
