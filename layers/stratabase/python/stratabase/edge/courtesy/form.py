"""The page with the form that sets a password."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stratabase.domain.password import LONGEST, Weakness
from stratabase.edge.courtesy.languages import TEXTS
from stratabase.edge.courtesy.page import Frame
from stratabase.edge.courtesy.parts import Markup, filled, listed
from stratabase.edge.courtesy.texts import Mistake, Texts, Trouble
from stratabase.edge.refusals import Headers
from stratabase.edge.response import Response

_EXPLAINED: Mapping[str, Mistake] = {
    "short": Weakness.SHORT,
    "long": Weakness.LONG,
    "different": Trouble.DIFFERENT,
}
"""What the script finds by itself."""


class Asked(NamedTuple):
    """Whom a form asks, and what was wrong with what it got before."""

    language: str
    token: str
    username: str
    mistakes: tuple[Mistake, ...] = ()


class PasswordForm:
    """The form of an application, whose passwords have `shortest` characters at least."""

    def __init__(self, application: str, shortest: int) -> None:
        self._application = application
        self._lengths = {"shortest": str(shortest), "longest": str(LONGEST)}

    def __call__(self, asked: Asked, status: int = 200, headers: Headers = ()) -> Response:
        """Return the page. Nothing that was typed comes back with it."""
        texts = TEXTS[asked.language]
        title = f"{texts.error}: {texts.heading}" if asked.mistakes else texts.heading
        inside = self._inside(asked, texts)
        frame = Frame(self._application, asked.language, texts.heading, title, inside, script=True)
        return frame.response(status, headers)

    def _inside(self, asked: Asked, texts: Texts) -> Markup:
        return filled(
            "form.html",
            token=asked.token,
            username=asked.username,
            policy=listed("li", [rule.format(**self._lengths) for rule in texts.policy]),
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

    def _marks(self, texts: Texts, mistakes: Sequence[Mistake]) -> dict[str, str]:
        """Return what was wrong, and how the page leads to it."""
        weak = any(isinstance(mistake, Weakness) for mistake in mistakes)
        return {
            "error": listed("p", [self._text(texts, mistake) for mistake in mistakes]),
            "focus": Markup(" autofocus" if mistakes else ""),
            "password_marks": _marks("policy", wrong=weak),
            "repeat_marks": _marks("", wrong=Trouble.DIFFERENT in mistakes),
        }

    def _text(self, texts: Texts, mistake: Mistake) -> str:
        return texts.mistakes[mistake].format(**self._lengths)


def _marks(about: str, *, wrong: bool) -> Markup:
    """Return what tells a screen reader more of a field: what is about it, and whether it is wrong."""
    ids = f"error {about}".strip() if wrong else about
    described = f' aria-describedby="{ids}"' if ids else ""
    return Markup(f'{described} aria-invalid="true"' if wrong else described)
