"""The parser of the arguments of a command, which says what was probably meant by a wrong one."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from stratabase.core.settings import variables
from stratabase.values.wording import nearest_word

_PREFIX = "STRATABASE_"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name the usage of the command that got the wrong argument."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Return the options, or exit with 2. argparse leaves unknown arguments to the outermost parser."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse(unknown)
        return options, unknown

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        options = [each for action in self._actions for each in action.option_strings]
        known = tuple(each for each in options if each.startswith("--"))
        hints = (_hint(each.partition("=")[0], known) for each in unknown if each.startswith("-"))
        self.error(". ".join((f"unrecognized arguments: {' '.join(unknown)}", *filter(None, hints))))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices of an argument, such as an unknown command."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            nearest = nearest_word(str(value), tuple(map(str, action.choices or ())))
            if nearest is None:
                raise
            raise argparse.ArgumentError(action, f"{error.message}. {_meant(nearest)}") from error


def _hint(option: str, known: tuple[str, ...]) -> str:
    """Return what to write instead of an unknown option, or an empty text."""
    name = option.lstrip("-").replace("-", "_").upper()
    settings = {variable.name for _, variable in variables()}
    for setting in (name, f"{_PREFIX}{name}"):
        if setting in settings:
            return f"This is a setting: set the environment variable {setting}."
    nearest = nearest_word(option, known) if len(name) > 1 else None
    return _meant(nearest) if nearest else ""


def _meant(word: str) -> str:
    return f"Did you mean {word}?"
