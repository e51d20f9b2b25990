"""The texts that each language must have for the pages behind mailed links (see `en` and `it`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from stratabase.domain.members.password import Weakness


class Notice(Enum):
    """What a page without a form says: that it is done, or why it cannot be done."""

    DONE = auto()
    EXPIRED = auto()
    UNKNOWN = auto()
    TAKEN = auto()
    """Another member has the e-mail address by now."""
    MISSING = auto()
    """The address of the page has no token."""
    LATER = auto()


class FormError(Enum):
    """What can go wrong with the password form besides the choice of the password."""

    DIFFERENT = auto()
    LATER = auto()


FormMistake = Weakness | FormError


@dataclass(frozen=True, slots=True)
class NoticeText:
    """The heading and the paragraphs of a page without a form; `{application}` stands for its name."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PasswordTexts:
    """The pages on which a member sets a password.

    `{application}`, `{shortest}` and `{longest}` stand for the application's name and the limits of a
    password.
    """

    heading: str
    account: str
    """Stands before the username."""
    policy: tuple[str, ...]
    new: str
    repeat: str
    show: str
    hide: str
    set: str
    error: str
    """Stands before the title of a page that reports a mistake."""
    mistakes: Mapping[FormMistake, str]
    notices: Mapping[Notice, NoticeText]


@dataclass(frozen=True, slots=True)
class ConfirmationTexts:
    """The pages on which a member confirms an e-mail address; `{application}` stands for its name."""

    heading: str
    account: str
    """Stands before the username."""
    address: str
    """Stands before the new address."""
    advice: str
    """What to do if one has not asked for it."""
    confirm: str
    notices: Mapping[Notice, NoticeText]
