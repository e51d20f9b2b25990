"""The languages that Stratabase speaks, and the translations of its messages into them.

A catalog is a file of gettext, LANGUAGE.po in this folder, which lists the English messages with their
translations. For another language, add its file with `make messages LANGUAGE=de`, translate what it lists,
and name it in LANGUAGES.
"""

from collections.abc import Iterable
from functools import lru_cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

ENGLISH = "en"
"""The language of the messages in the code, which everybody reads whose own language is not on offer."""
LANGUAGES = (ENGLISH, "it")
_FOLDER = Path(__file__).parent


def choose_language(wanted: Iterable[str]) -> str:
    """Return the first language on offer of those wanted (`it`, `it-CH`, `it_CH`), or English."""
    languages = (tag.replace("_", "-").partition("-")[0].lower() for tag in wanted)
    return next((language for language in languages if language in LANGUAGES), ENGLISH)


@lru_cache(maxsize=len(LANGUAGES))
def load_translations(language: str) -> GNUTranslations:
    """Return the catalog of one of LANGUAGES other than English."""
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - only where somebody reads another language
    from babel.messages.pofile import read_po  # noqa: PLC0415

    compiled = BytesIO()
    with (_FOLDER / f"{language}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)
