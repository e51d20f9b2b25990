"""The supported languages and their catalogs.

A catalog is a gettext file in this folder, such as `it.po`. It maps each English message to its translation.
To add a language, run `make messages LANGUAGE=de`, translate the messages in the new file, and add the
language to LANGUAGES.
"""

from collections.abc import Iterable
from functools import lru_cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

ENGLISH = "en"
"""The language of the messages in the code, and the fallback for unsupported languages."""
LANGUAGES = (ENGLISH, "it")
"""The codes of the supported languages."""
_FOLDER = Path(__file__).parent


def choose_language(tags: Iterable[str]) -> str:
    """Return the first supported language of some language tags, or English if none is supported.

    Only the language of a tag counts: `it`, `it-CH` and `it_CH` all select Italian.
    """
    languages = (tag.replace("_", "-").partition("-")[0].lower() for tag in tags)
    return next((language for language in languages if language in LANGUAGES), ENGLISH)


@lru_cache(maxsize=len(LANGUAGES))
def load_translations(language: str) -> GNUTranslations:
    """Return the translations of a language of LANGUAGES other than English."""
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - slow, and English needs none
    from babel.messages.pofile import read_po  # noqa: PLC0415

    compiled = BytesIO()
    with (_FOLDER / f"{language}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)
