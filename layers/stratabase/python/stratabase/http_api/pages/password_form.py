"""The page with the form that sets a password."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stratabase.domain.members.password import LONGEST_PASSWORD, Weakness
from stratabase.http_api.http.messages import Headers, Response
from stratabase.http_api.pages.link_pages import PASSWORD_TEXTS
from stratabase.http_api.pages.page import Markup, Page, render_elements, render_template
from stratabase.http_api.pages.texts import FormError, FormMistake, PasswordTexts

_SCRIPT_MISTAKES: Mapping[str, FormMistake] = {
    "short": Weakness.SHORT,
    "long": Weakness.LONG,
    "different": FormError.DIFFERENT,
}
"""The mistakes that the script of the page finds by itself, by the placeholders of their texts."""


class FormState(NamedTuple):
    """Whose password the form sets, and what was wrong with what was sent before."""

    language: str
    token: str
    username: str
    mistakes: tuple[FormMistake, ...] = ()


class PasswordForm:
    """The form of an application whose passwords have `min_length` characters or more."""

    def __init__(self, application: str, min_length: int) -> None:
        self._application = application
        self._lengths = {"shortest": str(min_length), "longest": str(LONGEST_PASSWORD)}

    def __call__(self, state: FormState, status: int = 200, headers: Headers = ()) -> Response:
        """Return the page with the form. Nothing that was typed comes back with it."""
        texts = PASSWORD_TEXTS[state.language]
        title = f"{texts.error}: {texts.heading}" if state.mistakes else texts.heading
        content = self._render(state, texts)
        page = Page(self._application, state.language, texts.heading, title, content, has_script=True)
        return page.response(status, headers)

    def _render(self, state: FormState, texts: PasswordTexts) -> Markup:
        return render_template(
            "set_password.html",
            token=state.token,
            username=state.username,
            policy=render_elements("li", [rule.format(**self._lengths) for rule in texts.policy]),
            account=texts.account,
            new=texts.new,
            repeat=texts.repeat,
            show=texts.show,
            hide=texts.hide,
            set=texts.set,
            **self._lengths,
            **{name: self._text(texts, mistake) for name, mistake in _SCRIPT_MISTAKES.items()},
            **self._error_values(texts, state.mistakes),
        )

    def _error_values(self, texts: PasswordTexts, mistakes: Sequence[FormMistake]) -> dict[str, str]:
        """Return values of the template that say what was wrong, and lead to the fields that are."""
        weak = any(isinstance(mistake, Weakness) for mistake in mistakes)
        return {
            "error": render_elements("p", [self._text(texts, mistake) for mistake in mistakes]),
            "focus": Markup(" autofocus" if mistakes else ""),
            "password_marks": _aria_attributes("policy", wrong=weak),
            "repeat_marks": _aria_attributes("", wrong=FormError.DIFFERENT in mistakes),
        }

    def _text(self, texts: PasswordTexts, mistake: FormMistake) -> str:
        return texts.mistakes[mistake].format(**self._lengths)


def _aria_attributes(description_id: str, *, wrong: bool) -> Markup:
    """Return attributes of a field for screen readers: what describes it, and whether it is wrong."""
    ids = f"error {description_id}".strip() if wrong else description_id
    described = f' aria-describedby="{ids}"' if ids else ""
    return Markup(f'{described} aria-invalid="true"' if wrong else described)
