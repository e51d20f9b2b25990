"""The page with the form that sets a password."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stratabase.domain.password import LONGEST, Weakness
from stratabase.http_api.http.messages import Response
from stratabase.http_api.http.refusals import Headers
from stratabase.http_api.pages.link_pages import TEXTS
from stratabase.http_api.pages.page import Markup, Page, render_elements, render_template
from stratabase.http_api.pages.texts import FormError, FormMistake, PasswordTexts

_EXPLAINED: Mapping[str, FormMistake] = {
    "short": Weakness.SHORT,
    "long": Weakness.LONG,
    "different": FormError.DIFFERENT,
}
"""What the script finds by itself."""


class FormState(NamedTuple):
    """Whom a form asks, and what was wrong with what it got before."""

    language: str
    token: str
    username: str
    mistakes: tuple[FormMistake, ...] = ()


class PasswordForm:
    """The form of an application, whose passwords have `shortest` characters at least."""

    def __init__(self, application: str, shortest: int) -> None:
        self._application = application
        self._lengths = {"shortest": str(shortest), "longest": str(LONGEST)}

    def __call__(self, asked: FormState, status: int = 200, headers: Headers = ()) -> Response:
        """Return the page. Nothing that was typed comes back with it."""
        texts = TEXTS[asked.language]
        title = f"{texts.error}: {texts.heading}" if asked.mistakes else texts.heading
        inside = self._inside(asked, texts)
        frame = Page(self._application, asked.language, texts.heading, title, inside, script=True)
        return frame.response(status, headers)

    def _inside(self, asked: FormState, texts: PasswordTexts) -> Markup:
        return render_template(
            "set_password.html",
            token=asked.token,
            username=asked.username,
            policy=render_elements("li", [rule.format(**self._lengths) for rule in texts.policy]),
            account=texts.account,
            new=texts.new,
            repeat=texts.repeat,
            show=texts.show,
            hide=texts.hide,
            set=texts.set,
            **self._lengths,
            **{name: self._text(texts, mistake) for name, mistake in _EXPLAINED.items()},
            **self._marks(texts, asked.mistakes),
        )

    def _marks(self, texts: PasswordTexts, mistakes: Sequence[FormMistake]) -> dict[str, str]:
        """Return what was wrong, and how the page leads to it."""
        weak = any(isinstance(mistake, Weakness) for mistake in mistakes)
        return {
            "error": render_elements("p", [self._text(texts, mistake) for mistake in mistakes]),
            "focus": Markup(" autofocus" if mistakes else ""),
            "password_marks": _marks("policy", wrong=weak),
            "repeat_marks": _marks("", wrong=FormError.DIFFERENT in mistakes),
        }

    def _text(self, texts: PasswordTexts, mistake: FormMistake) -> str:
        return texts.mistakes[mistake].format(**self._lengths)


def _marks(about: str, *, wrong: bool) -> Markup:
    """Return what tells a screen reader more of a field: what is about it, and whether it is wrong."""
    ids = f"error {about}".strip() if wrong else about
    described = f' aria-describedby="{ids}"' if ids else ""
    return Markup(f'{described} aria-invalid="true"' if wrong else described)
