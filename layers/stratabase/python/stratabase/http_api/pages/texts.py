"""What the pages say, in one language."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from stratabase.domain.password import Weakness


class FormError(Enum):
    """What can go wrong with the form beside the choice of the password."""

    DIFFERENT = auto()
    LATER = auto()


FormMistake = Weakness | FormError


class Notice(Enum):
    """What a page without the form tells: that all is done, or why nothing can be."""

    DONE = auto()
    EXPIRED = auto()
    UNKNOWN = auto()
    MISSING = auto()
    LATER = auto()


@dataclass(frozen=True, slots=True)
class NoticeText:
    """How such a page tells it."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PasswordTexts:
    """Setting a password; `{application}`, `{shortest}` and `{longest}` stand for what is meant."""

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
    mistakes: Mapping[FormMistake, str]
    notices: Mapping[Notice, NoticeText]


class ConfirmationNotice(Enum):
    """What a page about an e-mail address tells that has no button."""

    DONE = auto()
    EXPIRED = auto()
    UNKNOWN = auto()
    TAKEN = auto()
    MISSING = auto()
    LATER = auto()


@dataclass(frozen=True, slots=True)
class ConfirmationTexts:
    """Confirming an e-mail address; `{application}` stands for what is meant."""

    heading: str
    account: str
    """What goes before the username."""
    address: str
    """What goes before the new address."""
    advice: str
    """What to do who has not asked for it."""
    confirm: str
    notices: Mapping[ConfirmationNotice, NoticeText]
