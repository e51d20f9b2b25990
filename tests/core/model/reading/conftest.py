"""Models with their mistakes marked: `¦` stands before each word that the reader should complain of."""

from collections.abc import Callable

import pytest

from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model

MARK = "¦"
HEAD = (
    'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true) '
    '@profile(name: "Member")\n'
)

Complaints = Callable[..., None]


def _places(text: str) -> list[tuple[int, int]]:
    places = []
    for line, content in enumerate(text.split("\n"), start=1):
        pieces = content.split(MARK)
        places += [(line, len("".join(pieces[: index + 1])) + 1) for index in range(len(pieces) - 1)]
    return places


@pytest.fixture
def complains() -> Complaints:
    """Return a function that asserts that a model has exactly the marked mistakes, with these messages."""

    def check(marked: str, *messages: str, head: str = HEAD) -> None:
        marked = head + marked
        with pytest.raises(InvalidModel) as caught:
            read_model(marked.replace(MARK, ""), "model.graphql")
        found = caught.value.errors
        assert [str(one).split(": ", 1)[1] for one in found] == list(messages)
        assert [(one.line, one.column) for one in found] == _places(marked)

    return check


@pytest.fixture
def reads() -> Callable[[str], Model]:
    """Return a function that reads a valid model."""
    return lambda text: read_model(HEAD + text, "model.graphql")
