"""Checks an expression: each part gets a meaning, and all mistakes are gathered."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from stratabase.model.expressions.kinds import FILE, NULL, OBJECT, TEXT, UNKNOWN, ValueKind
from stratabase.model.expressions.meaning import Meaning, Run, Texts, nowhere, unknown
from stratabase.model.expressions.mistakes import ExpressionMistake
from stratabase.model.expressions.paths import Path
from stratabase.model.expressions.scope import Scope
from stratabase.model.expressions.syntax import Node
from stratabase.model.words import nearest

MOST_MISTAKES = 20
"""Reported for one expression: to look for what each of a thousand was meant to be would take seconds."""

Check = Callable[["Checker", Any], Meaning]
_REFUSED: Mapping[ValueKind, str] = {
    NULL: "Nothing can be made of null: isNull(x) asks whether a value is missing.",
    FILE: "A file has no value: only isNull(x) can be asked of it.",
    OBJECT: "A role leads to an object: write which of its attributes, or isNull(x).",
}
"""Why something is no value."""


class Checker:
    """One expression being checked; `checks` has what gives its meaning to each kind of node."""

    def __init__(
        self, scope: Scope, checks: Mapping[type[Node], Check], functions: Collection[str] = ()
    ) -> None:
        self.scope = scope
        self.functions = functions
        """The names of the functions."""
        self.mistakes: list[ExpressionMistake] = []
        self.uses: set[Path] = set()
        self.caller: set[str] = set()
        self.variables: dict[str, Meaning] = {}
        self._checks = checks
        self._nested = 0

    def meaning(self, node: Node) -> Meaning:
        """Return the meaning of a part, be it a value, a file, an object or null."""
        meaning: Meaning = self._checks[type(node)](self, node)
        return _folded(meaning) if meaning.constant else meaning

    def value(self, node: Node, *, null: bool = False) -> Meaning:
        """Return the meaning of a part that must be a value; `null` admits a null that is written."""
        meaning = self.meaning(node)
        reason = None if null and meaning.kind is NULL else _REFUSED.get(meaning.kind)
        return self.refuse(meaning.at, reason) if reason else meaning

    def of_kind(self, node: Node, kind: ValueKind, what: str) -> Meaning:
        """Return the meaning of a part that must be of one kind; `what` says which part that is."""
        meaning = self.value(node)
        if meaning.kind in (kind, UNKNOWN):
            return meaning
        return self.refuse(meaning.at, f"{what} is {kind.name}; this is {meaning.kind.name}.")

    def refuse(
        self,
        at: int,
        message: str,
        *,
        word: str = "",
        among: Iterable[str] = (),
        suggestion: str | None = None,
    ) -> Meaning:
        """Report a mistake; without a suggestion, that is the nearest of `among` to `word`."""
        if len(self.mistakes) < MOST_MISTAKES:
            hint = suggestion or nearest(word, tuple(among))
            self.mistakes.append(ExpressionMistake(at, message, hint))
        return unknown(at)

    @contextmanager
    def variable(self, name: str, kind: ValueKind, texts: Texts | None) -> Iterator[int]:
        """Let a name mean an item of a list; yield the number under which the environment has it."""
        before, number = self.variables, self._nested
        self.variables = {**before, name: Meaning(kind, _variable(number), 0, texts=texts)}
        self._nested += 1
        yield number
        self.variables, self._nested = before, number


def _variable(number: int) -> Run:
    return lambda environment: environment.variables[number]


def _folded(meaning: Meaning) -> Meaning:
    """Return a constant's meaning, computed once and for all."""
    value = meaning.run(nowhere())
    texts = ((value, meaning.at),) if meaning.kind is TEXT and value is not None else meaning.texts
    return replace(meaning, run=lambda _: value, texts=texts)
