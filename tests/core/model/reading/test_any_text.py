"""Any text is a model or has errors, each at a place in the text."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.reading import InvalidModel, ModelError, read_model
from tests.repository import ROOT

MODELS = Path(__file__).parents[1] / "models"
SAMPLE = ROOT / "layers/model/model.graphql"
TEXTS = [path.read_text(encoding="utf-8") for path in (SAMPLE, *sorted(MODELS.glob("*.graphql")))]
WORDS = sorted({word for text in TEXTS for word in re.findall(r"\w+|\W", text)})
PIECES = [re.findall(r"\w+|\s+|\W", text) for text in TEXTS]


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Return a model of which some words are dropped, doubled, swapped or replaced."""
    pieces = list(draw(st.sampled_from(PIECES)))
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(pieces) - 1))
        other = draw(st.integers(0, len(pieces) - 1))
        change = draw(st.sampled_from(["drop", "double", "swap", "word", "text"]))
        if change == "drop":
            pieces[at] = ""
        elif change == "double":
            pieces[at] *= 2
        elif change == "swap":
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif change == "word":
            pieces[at] = draw(st.sampled_from(WORDS))
        else:
            pieces[at] = draw(st.text(max_size=5))
    return "".join(pieces)


def _mistakes(text: str) -> tuple[ModelError, ...]:
    """Return the mistakes of a text; anything but InvalidModel fails the test."""
    try:
        read_model(text, "m")
    except InvalidModel as refusal:
        return refusal.errors
    return ()


def _read(text: str) -> None:
    lines = re.split(r"\r\n|\n|\r", text)
    for one in _mistakes(text):
        assert 1 <= one.line <= len(lines)
        assert 1 <= one.column <= len(lines[one.line - 1]) + 1
        assert "\n" not in str(one)


@given(mutations())
def test_a_mutated_model_is_read_or_refused_with_errors(text: str) -> None:
    _read(text)


@given(st.text())
def test_a_random_text_is_refused_with_errors(text: str) -> None:
    _read(text)


@given(st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_random_tokens_are_read_or_refused_with_errors(text: str) -> None:
    _read('extend schema @application(name: "A")\ntype B { x: Int ' + text)
