"""In which language a person is spoken to."""

from collections.abc import Collection, Iterable

DEFAULT = "en"
"""What everybody gets whose own language is not on offer."""


def spoken(wanted: Iterable[str], offered: Collection[str]) -> str:
    """Return the first language on offer of those that a person wants (`it`, `it-CH`, `it_CH`)."""
    languages = (tag.replace("_", "-").partition("-")[0].lower() for tag in wanted)
    return next((language for language in languages if language in offered), DEFAULT)
