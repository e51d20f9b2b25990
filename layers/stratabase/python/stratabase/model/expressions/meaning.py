"""What a part of an expression means: the kind of its value, and how that is found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import INT, NULL, REAL, TEXT, UNKNOWN, ValueKind, common_kind

Run = Callable[[Environment], Any]
"""Finds a value; None is null. It never raises: what cannot be computed is null."""
Texts = tuple[tuple[str, int], ...]
"""Texts, and where they are written."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A part that has been checked, from the character `at` of the text."""

    kind: ValueKind
    run: Run
    at: int
    steps: int = 1
    """How many parts are evaluated at most, each as often as it is."""
    most: int = 0
    """Of a list: how many items it has at most."""
    texts: Texts | None = None
    """All the texts that it, or an item of it, can be; None where it can be any."""
    constant: bool = False
    """It has one value, whatever the environment."""


def constant(kind: ValueKind, value: Any, at: int) -> Meaning:
    """Return the meaning of a value that is written."""
    texts: Texts | None = () if kind is NULL else None
    if kind is TEXT:
        texts = ((value, at),)
    return Meaning(kind, lambda _: value, at, texts=texts, constant=True)


def unknown(at: int) -> Meaning:
    """Return the meaning of what has been reported as a mistake."""
    return Meaning(UNKNOWN, lambda _: None, at)


def nowhere() -> Environment:
    """Return an environment for constants."""
    return Environment({})


def steps(*meanings: Meaning) -> int:
    """Return the steps of what evaluates these, once each."""
    return 1 + sum(meaning.steps for meaning in meanings)


def common(meanings: Sequence[Meaning]) -> ValueKind | None:
    """Return the kind that all of them can have, or None where there is none.

    A text that is written may be an enum's value.
    """
    kinds = {meaning.kind for meaning in meanings}
    enums = [kind for kind in kinds if kind.values]
    if len(enums) == 1 and all(_among(meaning, enums[0]) for meaning in meanings if meaning.kind is TEXT):
        kinds.discard(TEXT)
    return common_kind(kinds)


def _among(meaning: Meaning, enum: ValueKind) -> bool:
    return meaning.texts is not None and all(text in enum.values for text, _ in meaning.texts)


def all_texts(meanings: Sequence[Meaning]) -> Texts | None:
    """Return all the texts that any of them can be."""
    texts: Texts = ()
    for meaning in meanings:
        if meaning.texts is None:
            return None
        texts += meaning.texts
    return texts


def as_kind(meaning: Meaning, kind: ValueKind) -> Meaning:
    """Return a meaning as a kind that it fits: an Int becomes a Real, an enum's value a text."""
    run = meaning.run
    if meaning.kind is INT and kind is REAL:
        run = _real(meaning)
    elif meaning.kind.element is INT and kind.element is REAL:
        run = _reals(run)
    return replace(meaning, kind=kind, run=run)


def _real(meaning: Meaning) -> Run:
    run = meaning.run
    if meaning.constant:
        fixed = Decimal(value) if (value := run(nowhere())) is not None else None
        return lambda _: fixed
    return lambda environment: None if (value := run(environment)) is None else Decimal(value)


def _reals(run: Run) -> Run:
    def reals(environment: Environment) -> tuple[Decimal | None, ...] | None:
        items = run(environment)
        return None if items is None else tuple(None if item is None else Decimal(item) for item in items)

    return reals
