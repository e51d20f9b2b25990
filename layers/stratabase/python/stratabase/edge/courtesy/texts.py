"""What the page says, in one language."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from stratabase.domain.password import Weakness


class Trouble(Enum):
    """What can go wrong with the form beside the choice of the password."""

    DIFFERENT = auto()
    LATER = auto()


Mistake = Weakness | Trouble


class News(Enum):
    """What a page without the form tells: that all is done, or why nothing can be."""

    DONE = auto()
    EXPIRED = auto()
    UNKNOWN = auto()
    MISSING = auto()
    LATER = auto()


@dataclass(frozen=True, slots=True)
class Notice:
    """How such a page tells it."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Texts:
    """All texts; `{application}`, `{shortest}` and `{longest}` stand for what is meant."""

    heading: str
    account: str
    """What goes before the username."""
    policy: tuple[str, ...]
    new: str
    repeat: str
    show: str
    hide: str
    set: str
    error: str
    """What goes before the title of a page that tells of a mistake."""
    mistakes: Mapping[Mistake, str]
    notices: Mapping[News, Notice]
