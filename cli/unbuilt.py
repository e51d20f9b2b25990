"""What a reindex could not build, and what to do about it, told to people."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from stratabase.formats.invalid_value import describe_value
from stratabase.store.backfill.reindex import ReindexOutcome
from stratabase.store.backfill.uniques import Duplicate
from stratabase.store.indexes.entries import directive_label as asked

MOST_VALUES = 20
MOST_IDS = 10
"""How many are named, unless all shall be."""
_MEND = (
    "Change or delete all but one of the objects that have the same, then run `stratabase reindex` again. "
    "Until then these constraints hold for what is written, but not for all objects."
)
_WAIT = "Something still served an earlier model: run `stratabase reindex` again when that has ended."


def lines(class_name: str, outcome: ReindexOutcome, *, whole: bool) -> Iterator[str]:
    """Yield what is not ready of a class, and why; `whole`: with all values and objects, however many."""
    for unique, group in groupby(outcome.duplicates, lambda duplicate: duplicate.unique):
        duplicates = list(group)
        number = _values(len(duplicates))
        yield f"{class_name} {asked(unique)} is not ready: {number} held by several objects"
        named = duplicates if whole else duplicates[:MOST_VALUES]
        yield from (f"  {_line(duplicate, whole=whole)}" for duplicate in named)
        yield from _rest(len(duplicates) - len(named))
    if outcome.more:
        yield f"{class_name}: {outcome.more:,} more objects have what another one has"
    yield from (f"{class_name} {name} is not ready" for name in outcome.interrupted)


def advice(outcomes: Iterable[ReindexOutcome]) -> str:
    """Return what to do about what is not ready; nothing when all is."""
    outcomes = list(outcomes)
    mend = [_MEND] if any(outcome.duplicates for outcome in outcomes) else []
    wait = [_WAIT] if any(outcome.interrupted for outcome in outcomes) else []
    return "\n".join([*mend, *wait])


def _values(number: int) -> str:
    return "1 value is" if number == 1 else f"{number:,} values are"


def _line(duplicate: Duplicate, *, whole: bool) -> str:
    values = ", ".join(f"{name} {describe_value(value)}" for name, value in duplicate.values.items())
    ids = duplicate.ids if whole else duplicate.ids[:MOST_IDS]
    more = f" and {len(duplicate.ids) - len(ids):,} more" if len(ids) < len(duplicate.ids) else ""
    return f"{values}: {', '.join(ids)}{more}"


def _rest(values: int) -> Iterator[str]:
    if values:
        yield f"  and {values:,} more (`stratabase reindex --all` names all)"
