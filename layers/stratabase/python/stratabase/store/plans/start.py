"""From where on an index is read for a window that has a start."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.domain.order import Position
from stratabase.store.access_path import AccessPath
from stratabase.store.engine import EVERYTHING, Bounds
from stratabase.store.index_values import cut, following, is_cut, value_text
from stratabase.store.plans.course import Course
from stratabase.store.plans.reach import Reach


class Start(NamedTuple):
    """A position in the order of travel; what is at it belongs to what is read, or not."""

    position: Position
    inclusive: bool


class _Known(NamedTuple):
    """What a start says of the columns that a course follows."""

    texts: dict[str, str]
    id: str | None
    whole: bool
    """It says nothing else."""


def onward(path: AccessPath, reach: Reach, course: Course, start: Start, number: int) -> Bounds:
    """Return bounds that leave out of a range most of what lies before a start, and nothing else."""
    text, known = _text(path, reach, course, start, number)
    if not text:
        return EVERYTHING
    if is_cut(text):
        return _from(cut(text), course)
    if known.id is not None and course.aligned:
        return _beside(text + known.id, course, included=start.inclusive)
    return beyond(text, course) if known.whole and not start.inclusive else _from(text, course)


def onward_in_run(path: AccessPath, reach: Reach, course: Course, start: Start | None, run: str) -> Bounds:
    """Return what lies beyond a start in a run that is read in the other direction than the course's."""
    within = Bounds(low=run, high=following(run), high_included=False)
    text, known = _text(path, reach, course, start, 0) if start else ("", None)
    if start is None or known is None or known.id is None or text != run:
        return within
    if course.down:
        return within._replace(low=run + known.id, low_included=start.inclusive)
    return within._replace(high=run + known.id, high_included=start.inclusive)


def _text(path: AccessPath, reach: Reach, course: Course, start: Start, number: int) -> tuple[str, _Known]:
    """Return what a start says of the columns, and the text of the first of them in a range."""
    known = _known(path, reach, course, start.position)
    return "".join(_texts(path, reach, course, known, number)), known


def _known(path: AccessPath, reach: Reach, course: Course, position: Position) -> _Known:
    texts: dict[str, str] = {}
    columns = {column.attribute: column for column in path.columns}
    matched = iter(course.matched)
    for term, value in zip(course.order.terms, position.values, strict=False):
        name = term.attribute
        if name == "_id":
            usable = value is not None and len(texts) == len(course.matched)
            return _Known(texts, str(value) if usable else None, whole=False)
        text = value_text(columns[name].text(value)) if name in columns else ""
        if name in reach.fixed:
            if text != reach.fixed[name]:
                return _Known(texts, None, whole=False)
        elif name == next(matched, None):
            texts[name] = text
        else:
            return _Known(texts, None, whole=False)
    return _Known(texts, None, whole=True)


def _texts(path: AccessPath, reach: Reach, course: Course, known: _Known, number: int) -> Iterator[str]:
    """Yield the texts of the first columns, as far as they are known."""
    if course.merged:
        yield reach.prefixes[number]
    texts = {**reach.fixed, **known.texts}
    for column in path.columns[reach.depth if course.merged else 0 :]:
        if column.attribute not in texts:
            return
        yield texts[column.attribute]


def _from(text: str, course: Course) -> Bounds:
    """Return all that begins with a text, and what lies beyond it."""
    return Bounds(high=following(text), high_included=False) if course.down else Bounds(low=text)


def beyond(text: str, course: Course) -> Bounds:
    """Return what lies beyond all that begins with a text."""
    return Bounds(high=text, high_included=False) if course.down else Bounds(low=following(text))


def _beside(text: str, course: Course, *, included: bool) -> Bounds:
    """Return what lies beyond one text."""
    if course.down:
        return Bounds(high=text, high_included=included)
    return Bounds(low=text, low_included=included)
