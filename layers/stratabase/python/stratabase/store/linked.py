"""What a role leads to where the object itself does not tell: by links, or by the guard of a one-to-one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.store import keys, links
from stratabase.store.claims import holder
from stratabase.store.desk import Desk
from stratabase.store.engine.port import ITEMS, Bounds
from stratabase.store.engine.read_limiter import ReadLimiter
from stratabase.store.former import candidates


@dataclass(frozen=True, slots=True)
class Range:
    """Which of the ids that a role leads to: those after `start`, at most so many."""

    start: str | None = None
    limit: int | None = None
    backward: bool = False

    def bounds(self, role: RoleName) -> Bounds:
        """Return where their links lie."""
        return links.bounds(role.role_name, self.start, backward=self.backward)

    def of(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return which of some ids are within it."""
        ordered = sorted(filter(self.has, set(ids)), reverse=self.backward)
        return tuple(ordered[: self.limit])

    def has(self, id_: str) -> bool:
        """Return whether an id is after the start; and one may be asked for at all."""
        after = self.start is None or (id_ < self.start if self.backward else id_ > self.start)
        return after and self.limit != 0


def linked(  # noqa: PLR0913, PLR0917 - whose, which of them, when, and how much may be read
    desk: Desk,
    role: RoleName,
    ids: Sequence[str],
    range_: Range,
    allowance: ReadBudget | None,
    at: Sequence[Instant] | None = None,
) -> list[tuple[str, ...]]:
    """Return for each owner the ids of the objects that a role leads to, each `at` an instant, or now.

    Whoever is named several times is asked once. Raises TooMuchRead, ValueError.
    """
    spending = ReadLimiter(allowance, role.class_name)
    spending.check()
    keyed = desk.associations.keyed_from(role)
    if keyed is not None and keyed.former is not None and at is not None:
        moments = list(zip(ids, at, strict=True))
        return [range_.of(found) for found in candidates(desk, keyed, moments, spending)]
    each = list(dict.fromkeys(ids))
    found = dict(zip(each, _present(desk, role, each, range_, spending), strict=True))
    return [found[id_] for id_ in ids]


def _present(
    desk: Desk, role: RoleName, ids: Sequence[str], range_: Range, spending: ReadLimiter
) -> list[tuple[str, ...]]:
    """Return for each owner the ids of the objects that a role leads to now."""
    keyed = desk.associations.keyed_from(role)
    if keyed is not None and keyed.exclusive:
        return _held(desk, keyed.role, ids, range_, spending)
    if keyed is None and role not in desk.associations.ends:
        raise ValueError(f"What {role} leads to stands in the object itself.")
    return desk.together(
        lambda id_: _walked(desk, Reference(role.class_name, id_), role, range_, spending), ids
    )


def _held(
    desk: Desk, role: RoleName, ids: Sequence[str], range_: Range, spending: ReadLimiter
) -> list[tuple[str, ...]]:
    """Return the ids of those whose key leads to each of some objects, and no other key does."""
    guards = desk.got([keys.couple(role, id_) for id_ in ids], spending)
    return [
        (found,) if (found := holder(guard)) is not None and range_.has(found) else () for guard in guards
    ]


def _walked(
    desk: Desk, owner: Reference, role: RoleName, range_: Range, spending: ReadLimiter
) -> tuple[str, ...]:
    """Return the ids that the links of one object lead to."""
    found: list[str] = []
    pages = desk.engine.range(
        ITEMS,
        keys.head(owner).partition,
        range_.bounds(role),
        backward=range_.backward,
        limit=range_.limit,
    )
    for page in pages:
        spending.record(page)
        spending.check()
        found += links.ids(page, role.role_name)
    return tuple(found)


def referrers(desk: Desk, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
    """Return the ids of objects whose key leads to an object by a role, where that keeps track of them."""
    (keyed,) = (each for each in desk.associations.keyed(role.class_name) if each.role == role)
    spending, range_ = ReadLimiter(None, role.class_name), Range(limit=limit)
    if keyed.exclusive:
        return _held(desk, role, [id_], range_, spending)[0]
    if keyed.link is None:
        return ()
    return _walked(desk, Reference(keyed.target, id_), keyed.link, range_, spending)


def joined(desk: Desk, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return of each owner and other whether a link leads from the one to the other."""
    wanted = [keys.link(Reference(role.class_name, owner), role.role_name, other) for owner, other in pairs]
    return [item is not None for item in desk.got(wanted)]
