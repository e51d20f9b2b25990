"""Objects as they were at an instant; those of classes that keep no versions as they are."""

from collections.abc import Mapping, Sequence

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.instant import Instant
from stratabase.store.desk import Desk
from stratabase.store.engine.port import Item
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.history import History
from stratabase.store.step import Step, step_of

Moment = tuple[Reference, Instant]
Heads = Mapping[Reference, Item | None]


def as_of(
    desk: Desk, moments: Sequence[Moment], heads: Heads, spending: ReadLimiter
) -> Mapping[Moment, Entity | None]:
    """Return the versions of moments, None where there was none; the heads of their objects were read before.

    Raises TooMuchRead, Unavailable.
    """
    present = {reference: _present(desk, reference, item) for reference, item in heads.items()}
    each = list(dict.fromkeys(moments))
    earlier = [moment for moment in each if _is_earlier(present[moment[0]], moment[1])]
    found = desk.together(lambda one: History(desk, one[0], spending).at(one[1], present[one[0]]), earlier)
    known = {moment: _version(present[moment[0]]) for moment in each}
    return known | dict(zip(earlier, found, strict=True))


def _present(desk: Desk, reference: Reference, item: Item | None) -> Step | None:
    return None if item is None else step_of(item, desk.model.classes[reference.class_name])


def _is_earlier(present: Step | None, instant: Instant) -> bool:
    return present is not None and present.start > instant


def _version(present: Step | None) -> Entity | None:
    return None if present is None else present.version
