"""Parameters of the template as the SAM CLI reads and writes them: `Basic=off MailFromName="HR Team"`."""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from stratabase.terminal.command_error import MISUSED, CommandError

_VALUE = r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:\\.|[^ "\\])*"""
_OVERRIDE = re.compile(
    rf"""\s*(?:ParameterKey=(?P<key>[A-Za-z0-9]+),ParameterValue=(?P<key_value>{_VALUE})|(?P<name>[A-Za-z0-9]+)=(?P<value>{_VALUE}))"""
    r"(?=\s|$)",
    re.DOTALL,
)
_ADVICE = (
    "Write NAME=VALUE, such as Basic=off, and put a value with spaces in quotes, such as "
    'MailFromName="HR Team". parameter_overrides in samconfig.toml can have such values, too.'
)
_NAME = re.compile(r"[A-Za-z0-9]+")
_LONG = "ParameterKey="
_PLAIN = re.compile(r"[\w@.:/+,-]+", re.ASCII)
"""A value that needs no quotes."""


def parse_overrides(overrides: object) -> dict[str, str]:
    """Return the values in `parameter_overrides` of samconfig.toml by name. Raises CommandError.

    The SAM CLI accepts one text, a list of texts, and a table. It ignores what it can't read in a text, so
    that `MailFromName=HR Team` has the value `HR`. Here, that is an error.
    """
    if isinstance(overrides, Mapping):
        return {str(name): _text(name, value) for name, value in overrides.items()}
    if isinstance(overrides, list):
        found = dict[str, str]()
        for each in overrides:
            found |= parse_overrides(each)
        return found
    if not isinstance(overrides, str):
        raise CommandError(
            f"parameter_overrides has {overrides!r}. Write NAME=VALUE, such as Basic=off.", MISUSED
        )
    return _parse_text(overrides)


def parse_parameters(texts: Iterable[str]) -> dict[str, str]:
    """Return values by name, from arguments such as `Basic=off`. All after the `=` is the value.

    Raises CommandError.
    """
    return {name: _unquote(value) for name, value in map(_split, texts)}


def parse_shell_words(text: str) -> dict[str, str]:
    """Return values by name, from a text such as `Basic=off MailFromName="HR Team"`, quoted as in a shell.

    Raises CommandError.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"Reading the parameters {text} failed: {error}. {_ADVICE}", MISUSED) from error
    return dict(map(_split, words))


def _split(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise CommandError(f'"{text}" sets no parameter. {_ADVICE}', MISUSED)
    return name, value


def format_override(name: str, value: str) -> str:
    """Return a text that the SAM CLI reads as this value. Raises CommandError if there is none."""
    escaped = value.replace('"', '\\"')
    text = f"{name}={value}" if _PLAIN.fullmatch(value) else f'{name}="{escaped}"'
    try:
        is_same = _parse_text(text) == {name: value}
    except CommandError:
        is_same = False
    if not is_same:
        raise CommandError(
            f"The SAM CLI can't take the value of {name}: {value!r}. Avoid {_LONG}, and backslashes before "
            "quotes, before spaces and at the end.",
            MISUSED,
        )
    return text


def _parse_text(text: str) -> dict[str, str]:
    found, position = dict[str, str](), 0
    text = text.strip()
    is_long = _LONG in text
    while position < len(text):
        override = _OVERRIDE.match(text, position)
        # The SAM CLI ignores the short form beside the long one.
        if override is None or (override["key"] is None) == is_long:
            rest = text[position:].strip().split(" ")[0]
            raise CommandError(f'"{rest}" in parameter_overrides sets no parameter. {_ADVICE}', MISUSED)
        name = override["key"] or override["name"]
        found[name] = _unquote(override["key_value"] if override["key"] else override["value"])
        position = override.end()
    return found


def _unquote(value: str) -> str:
    """Return a value without the quotes around it and the backslashes that the SAM CLI removes."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value.replace("\\ ", " ").replace('\\"', '"').replace("\\'", "'")


def _text(name: object, value: Any) -> str:
    if isinstance(value, list):
        return ",".join(str(each).strip() for each in value)
    if isinstance(value, Mapping) or name == "$include":
        raise CommandError(f"The value of {name} in parameter_overrides must be a text or a number.", MISUSED)
    return _unquote(str(value))
