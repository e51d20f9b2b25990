"""Messages that keep their parameters, so that they can be shown in any language later."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, Self

from stratabase.messages.catalogs import ENGLISH, choose_language, load_translations

Parameter = str | int
"""What a placeholder stands for: a text that stays as it is, a number, or another `Message`."""
_NO_PARAMETERS: Mapping[str, Parameter] = MappingProxyType({})


class Message(str):
    """A text in English, which `in_language` gives in other languages.

    Made by the functions below, never by its constructor. What `+`, `join` or an f-string makes of it is a
    plain `str`, which can no longer be translated: nest messages as parameters instead.
    """

    __slots__ = ("number", "parameters", "plural", "template")

    template: str
    """The English text, with the names of parameters in braces: the key in the catalogs."""
    parameters: Mapping[str, Parameter]
    plural: str | None
    """The English text for a `number` other than 1; None when the message depends on no number."""
    number: int

    def __new__(
        cls,
        template: str,
        parameters: Mapping[str, Parameter] = _NO_PARAMETERS,
        plural: str | None = None,
        number: int = 1,
    ) -> Self:
        """Return the message with its English text."""
        english = template if plural is None or number == 1 else plural
        self = super().__new__(cls, _fill_in(english, parameters, ENGLISH))
        self.template, self.parameters, self.plural, self.number = template, parameters, plural, number
        return self

    def in_language(self, language: str) -> str:
        """Return the text in a language, such as "it"; in English where there is no translation."""
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


def _(template: str, **parameters: Parameter) -> Message:
    """Return a message. `template` is a literal, with the names of the parameters in braces."""
    return Message(template, parameters)


def ngettext(singular: str, plural: str, count: int, **parameters: Parameter) -> Message:
    """Return a message that depends on a number, which both templates show as `{count}`."""
    return Message(singular, {"count": count, **parameters}, plural, count)


def verbatim(text: str) -> Message:
    """Return a message that is the same in every language, such as a text of the model."""
    return _Verbatim(text)


def and_list(words: Iterable[str]) -> Message:
    """Return words as people list them: "a", "a and b", "a, b, and c". Each word may be a `Message`."""
    return _AndList(words)


def or_list(words: Iterable[str]) -> Message:
    """Return words as people list alternatives: "a", "a or b", "a, b, or c"."""
    return _OrList(words)


def sentences(messages: Iterable[str]) -> Message:
    """Return whole sentences, one after the other."""
    return _Sentences(messages)


class _Verbatim(Message):
    """A text that nobody translates. Braces in it mean nothing."""

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
    """Several texts as one. The keys of its parameters are their positions."""

    __slots__ = ()

    def __new__(cls, texts: Iterable[str]) -> Self:
        listed = list(texts)
        self = str.__new__(cls, cls._join(listed, ENGLISH))
        self.template, self.plural, self.number = "", None, len(listed)
        self.parameters = {str(position): text for position, text in enumerate(listed)}
        return self

    @staticmethod
    def _join(texts: Sequence[str], language: str) -> str:
        """Return texts, which are in a language, as one."""
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
    def _join(texts: Sequence[str], language: str) -> str:  # noqa: ARG004 - a blank in all of them
        return " ".join(texts)


def _fill_in(template: str, parameters: Mapping[str, Parameter], language: str) -> str:
    return template.format(**{name: _show(value, language) for name, value in parameters.items()})


def _show(value: Parameter, language: str) -> str:
    """Return a parameter as a message in a language shows it; a number with its thousands apart."""
    if isinstance(value, Message):
        return value.in_language(language)
    if not isinstance(value, int):
        return value
    if language == ENGLISH:
        return f"{value:,}"
    from babel.numbers import format_decimal  # noqa: PLC0415 - slow, and English needs none

    return format_decimal(value, locale=language)


def _join_list(words: Sequence[str], english: str, style: Literal["standard", "or"], language: str) -> str:
    """Return words as a language lists them. `english` is the English conjunction; `style` is Babel's."""
    if language != ENGLISH:
        from babel.lists import format_list  # noqa: PLC0415 - as above

        return format_list(words, style, language)
    *first, last = words or [""]
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} {english} {last}" if first else last
