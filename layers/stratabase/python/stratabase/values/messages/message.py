"""Messages that keep their template and parameters, so that they can be translated later, and their catalogs.

A catalog is a gettext file in this folder, such as `it.po`. It maps each English message to its translation.
To add a language, run `make messages LANGUAGE=de`, translate the messages in the new file, and add the
language to LANGUAGES.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Self

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


PlaceholderValue = str | int
"""The value of a placeholder: a text that is not translated, a number, or another `Message`."""
_NO_PARAMETERS: Mapping[str, PlaceholderValue] = MappingProxyType({})


class Message(str):
    """A message in English that can be translated with `in_language`.

    Create messages with the functions below, not with the constructor. `+`, `join` and f-strings return a
    plain `str`, which can't be translated. To combine messages, pass one as a parameter of another.
    """

    __slots__ = ("number", "parameters", "plural", "template")

    template: str
    """The English text with the names of the parameters in braces. It is the key in the catalogs."""
    parameters: Mapping[str, PlaceholderValue]
    """The values of the placeholders by name."""
    plural: str | None
    """The English template for a `number` other than 1, or None if the message has no plural."""
    number: int
    """The number that selects the singular or the plural."""

    def __new__(
        cls,
        template: str,
        parameters: Mapping[str, PlaceholderValue] = _NO_PARAMETERS,
        plural: str | None = None,
        number: int = 1,
    ) -> Self:
        """Return the message with its placeholders filled in."""
        english = template if plural is None or number == 1 else plural
        self = super().__new__(cls, _fill_in(english, parameters, ENGLISH))
        self.template, self.parameters, self.plural, self.number = template, parameters, plural, number
        return self

    def in_language(self, language: str) -> str:
        """Return the text in a language, such as "it", or in English if there is no translation."""
        language = choose_language([language])
        if language == ENGLISH:
            return str(self)
        translations = load_translations(language)
        if self.plural is None:
            text = translations.gettext(self.template)
        else:
            text = translations.ngettext(self.template, self.plural, self.number)
        return _fill_in(text, self.parameters, language)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), (self.template, dict(self.parameters), self.plural, self.number)


def _(template: str, **parameters: PlaceholderValue) -> Message:
    """Return a message. `template` is a string literal with the names of the parameters in braces."""
    return Message(template, parameters)


def ngettext(singular: str, plural: str, count: int, **parameters: PlaceholderValue) -> Message:
    """Return a message with a singular and a plural. Both templates can show the number as `{count}`."""
    return Message(singular, {"count": count, **parameters}, plural, count)


def verbatim(text: str) -> Message:
    """Return a message that is the same in every language, such as a message that the model defines."""
    return _Verbatim(text)


def and_list(words: Iterable[str]) -> Message:
    """Return a list of words: "a", "a and b", or "a, b, and c". Each word can be a `Message`."""
    return _AndList(words)


def or_list(words: Iterable[str]) -> Message:
    """Return a list of alternatives: "a", "a or b", or "a, b, or c". Each word can be a `Message`."""
    return _OrList(words)


def sentences(messages: Iterable[str]) -> Message:
    """Return messages, each of one or more sentences, joined with spaces."""
    return _Sentences(messages)


class _Verbatim(Message):
    """A text that is never translated. Its braces are literal."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        self = str.__new__(cls, text)
        self.template, self.parameters, self.plural, self.number = text, _NO_PARAMETERS, None, 1
        return self

    def in_language(self, language: str) -> str:  # noqa: ARG002 - the same in every language
        return str(self)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), (self.template,)


class _Joined(Message):
    """Several texts joined into one message. `parameters` maps positions, such as "0", to the texts."""

    __slots__ = ()

    def __new__(cls, texts: Iterable[str]) -> Self:
        parts = list(texts)
        self = str.__new__(cls, cls._join(parts, ENGLISH))
        self.template, self.plural, self.number = "", None, len(parts)
        self.parameters = {str(position): text for position, text in enumerate(parts)}
        return self

    @staticmethod
    def _join(texts: Sequence[str], language: str) -> str:
        """Return texts of a language joined by its rules."""
        raise NotImplementedError

    def in_language(self, language: str) -> str:
        language = choose_language([language])
        return self._join([_show(text, language) for text in self.parameters.values()], language)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), (list(self.parameters.values()),)


class _AndList(_Joined):
    __slots__ = ()

    @staticmethod
    def _join(texts: Sequence[str], language: str) -> str:
        return _join_list(texts, "and", "standard", language)


class _OrList(_Joined):
    __slots__ = ()

    @staticmethod
    def _join(texts: Sequence[str], language: str) -> str:
        return _join_list(texts, "or", "or", language)


class _Sentences(_Joined):
    __slots__ = ()

    @staticmethod
    def _join(texts: Sequence[str], language: str) -> str:  # noqa: ARG004 - a space in every language
        return " ".join(texts)


def _fill_in(template: str, parameters: Mapping[str, PlaceholderValue], language: str) -> str:
    return template.format(**{name: _show(value, language) for name, value in parameters.items()})


def _show(value: PlaceholderValue, language: str) -> str:
    """Return a parameter as text in a language. Numbers get the language's thousands separators."""
    if isinstance(value, Message):
        return value.in_language(language)
    if not isinstance(value, int):
        return value
    if language == ENGLISH:
        return f"{value:,}"
    from babel.numbers import format_decimal  # noqa: PLC0415 - slow, and English needs none

    return format_decimal(value, locale=language)


def _join_list(words: Sequence[str], english: str, style: Literal["standard", "or"], language: str) -> str:
    """Return a list of words by the rules of a language.

    `english` is the English conjunction. `style` is the name of the list style in Babel.
    """
    if language != ENGLISH:
        from babel.lists import format_list  # noqa: PLC0415 - as above

        return format_list(words, style, language)
    *first, last = words or [""]
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} {english} {last}" if first else last
