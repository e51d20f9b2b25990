"""Restorations that do not fit in one commit.

The parts come back first, some in each commit, and the object that is restored last. Until then nobody sees
the parts: their whole is not there, or does not list them. All versions begin at the instant of the change.

    1. A ledger says that the restoration runs, and until when that is believed (its lease).
    2. Each commit that brings parts back expects that the ledger still says so. It lists these parts beside
       the ledger, with what their tombstones told.
    3. The last commit changes everything else, and turns the ledger to DONE.
    4. The lists are removed, and then the ledger (`purging`).

Whoever stops a restoration (its own process, or a sweep after the lease) first turns the ledger to STOPPED:
after that no commit of it goes through. Then `purging` makes the parts on the lists tombstones again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import orjson

from stratabase import waiting
from stratabase.domain.objects.change import Change, Restoration, Tombstone
from stratabase.domain.objects.commit_refusals import Conflict, TooLarge
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import owner_of
from stratabase.domain.refusal import Unavailable
from stratabase.store import codec, endings, keys
from stratabase.store.deed import Deed
from stratabase.store.desk import Desk
from stratabase.store.drafting import drafted
from stratabase.store.engine.port import (
    ITEMS,
    MAX_ACTIONS,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    OutcomeUnknown,
    Patch,
    Place,
    Put,
)

LEASE = 60_000
"""Milliseconds for which a restoration is believed to run."""
LONGEST = 15_000
"""Milliseconds after which a restoration gives up by itself: long before its lease ends, or a function."""
_LEASE, _STATE = "lease", "state"
_RUNNING, _STOPPED, _DONE = "running", "stopped", "done"
_ROOM = MAX_ACTIONS - 2
"""Actions that bring parts back: there are also the list of these, and what the ledger is expected to say."""

Do = Callable[[Deed, Sequence[Action]], None]
"""Commits what a deed comes to, with further actions. Raises as `commit` does."""


class Stages(NamedTuple):
    """What a restoration brings back first, and the change that ends it."""

    parts: tuple[Restoration, ...]
    last: Change


def split(desk: Desk, change: Change) -> Stages | None:
    """Return a restoration in two stages; None for a change that is none, or brings no parts back.

    A part that takes what something in the change gives up, like a unique value, comes back with the change.
    """
    if change.root is None:
        return None
    given_up = _guards_given_up(desk, change)
    parts = tuple(
        effect
        for effect in change.effects
        if isinstance(effect, Restoration)
        and effect.after.reference != change.root
        and owner_of(desk.class_of(effect.after), effect.after) is not None
        and given_up.isdisjoint(endings.guards_needed(desk, effect.after))
    )
    staged = frozenset(map(id, parts))
    last = tuple(effect for effect in change.effects if id(effect) not in staged)
    return Stages(parts, replace(change, effects=last)) if parts else None


def _guards_given_up(desk: Desk, change: Change) -> frozenset[Key]:
    return frozenset(
        key
        for effect in change.object_effects()
        for key in {*endings.guards_needed(desk, effect.before)}.difference(
            endings.guards_needed(desk, effect.after)
        )
    )


class Staging:
    """A restoration on its way, in stages."""

    def __init__(self, desk: Desk, change: Change, stages: Stages, do: Do) -> None:
        assert change.root is not None
        self.ledger = keys.restoration(change.root)
        self._root = change.root
        self._desk = desk
        self._change = change
        self._stages = stages
        self._do = do
        self._id = _numbered(change, 0)
        self._runs = _in_state(self._id, _RUNNING)

    def run(self, last: Deed) -> None:
        """Do all of it. `last`: what the last commit comes to, beside the ledger.

        Raises Conflict, Held, Taken, Broken, TooLarge, Unavailable. Then nothing is restored, unless it is an
        Unavailable that says that the outcome is unknown.
        """
        try:
            self._begin()
            self._bring_back()
            self._end(last)
        except Exception:
            if not self._was_done():
                raise

    def _begin(self) -> None:
        """Write the ledger. Raises Conflict, Unavailable while somebody else restores the object."""
        ledger = Item(
            self.ledger,
            {codec.COMMIT_IDS: [self._id], _STATE: _RUNNING, _LEASE: self._desk.now() + LEASE},
            places={keys.LISTING: Place(keys.PURGES, f"{self._root.class_name}#{self._root.id}")},
        )
        try:
            self._desk.engine.commit(Batch(self._id, (Put(ledger, NOT_EXISTS),)))
        except ExpectationFailed as refusal:
            check_finished(refusal.failures[0].found, self._desk.now())
            raise Conflict from None  # what another has left is ended first
        except OutcomeUnknown as doubt:
            found = doubt.failures[0].found
            if found is None or not _is(found, self._id, _RUNNING):
                raise

    def _bring_back(self) -> None:
        """Bring the parts back, as many in each commit as fit. Raises as `run`."""
        parts, end = self._stages.parts, self._desk.now() + LONGEST
        back, number, together = 0, 0, _ROOM
        while back < len(parts):
            if self._desk.now() > end:
                text = f"bringing back {len(parts):,} parts takes longer than {LONGEST // 1000} seconds"
                raise Unavailable(f"{text} at present, so nothing was restored; try again later")
            number += 1
            change = replace(
                self._change,
                commit_id=_numbered(self._change, number),
                effects=parts[back : back + together],
            )
            deed = drafted(self._desk, change, coming=self._coming(back + together))
            together = _fitting(deed)
            if together < len(change.effects):
                continue
            try:
                self._do(deed, (Put(_list(self._root, change)), Check(self.ledger, self._runs)))
                back += len(change.effects)
            except TooLarge:
                if together == 1:
                    raise
                together //= 2
            waiting.give_way()

    def _end(self, last: Deed) -> None:
        """Change everything else. Raises as `run`."""
        if last.is_outdated:  # it was drafted before the parts came back, and not all engines judge fences
            raise Conflict
        self._do(last, (_turn(self.ledger, self._runs, _DONE),))

    def _coming(self, number: int) -> Collection[Reference]:
        """Return what comes back after so many parts."""
        later = (*self._stages.parts[number:], *self._stages.last.effects)
        return frozenset(effect.after.reference for effect in later if isinstance(effect, Restoration))

    def _was_done(self) -> bool:
        """Stop, unless that is done or stopped already; return whether it is known to have been done."""
        with suppress(Unavailable):  # then the lease ends
            try:
                stop = _turn(self.ledger, self._runs, _STOPPED)
                self._desk.engine.commit(Batch(_numbered(self._change, -1), (stop,)))
            except ExpectationFailed as refusal:
                found = refusal.failures[0].found
                return found is not None and _is(found, self._id, _DONE)
        return False


def _numbered(change: Change, number: int) -> str:
    return f"{change.commit_id}.{number}"


def _fitting(deed: Deed) -> int:
    """Return how many of the parts that a deed brings back fit in one commit; all, if these do."""
    number, actions = len(deed.change.effects), len(deed.actions())
    return number if actions <= _ROOM else max(1, number * _ROOM // actions)


def _in_state(id_: str, state: str) -> Expectation:
    named = Condition(codec.COMMIT_IDS, ConditionOperator.EQUALS, [id_])
    return Expectation(exists=True, conditions=(named, Condition(_STATE, ConditionOperator.EQUALS, state)))


def _turn(ledger: Key, expect: Expectation, state: str) -> Patch:
    return Patch(ledger, expect, set={_STATE: state}, remove=frozenset({_LEASE}))


def _is(ledger: Item, id_: str, state: str) -> bool:
    return list(codec.commit_ids(ledger)) == [id_] and ledger.attributes.get(_STATE) == state


def _list(root: Reference, change: Change) -> Item:
    """Return the list of what a commit brings back, with what the tombstones told."""
    told: dict[str, dict[str, tuple[Instant, Instant]]] = {}
    for effect in change.effects:
        assert isinstance(effect, Restoration)
        reference, last_end, previous_start, _ = effect.tombstone
        told.setdefault(reference.class_name, {})[reference.id] = (last_end, previous_start)
    attributes = {codec.COMMIT_IDS: [change.commit_id]}
    return Item(keys.staged(root, change.commit_id), attributes, orjson.dumps(told).decode())


def listed(item: Item) -> Iterator[Tombstone]:
    """Yield what is remembered of the parts on a list."""
    for class_name, told in orjson.loads(item.state or "{}").items():
        for id_, (last_end, previous_start) in told.items():
            yield Tombstone(Reference(class_name, id_), last_end, previous_start)


def lists(engine: Engine, ledger: Item) -> Iterable[Sequence[Item]]:
    """Return the lists of a restoration, page by page."""
    (named,) = codec.commit_ids(ledger)
    return engine.range(ITEMS, ledger.key.partition, keys.staged_bounds(named.removesuffix("0")))


def is_running(ledger: Item, now: Instant) -> bool:
    """Return whether the restoration of a ledger is believed to run."""
    lease = ledger.attributes.get(_LEASE)
    return isinstance(lease, int) and lease > now


def check_finished(ledger: Item | None, now: Instant) -> None:
    """Raise Unavailable if a ledger is that of a restoration that is believed to run."""
    if ledger is not None and is_running(ledger, now):
        name, id_ = keys.ledger_of(ledger.key)
        raise Unavailable(f"{name} {id_} is being restored by another request; try again in a moment", 5)


def stopped(engine: Engine, ledger: Item, commit_id: str) -> bool:
    """Stop a restoration that does not run any more; return whether nothing of it is to stay.

    Raises Conflict when somebody else did something about it.
    """
    state = ledger.attributes.get(_STATE)
    if state == _RUNNING:
        (named,) = codec.commit_ids(ledger)
        try:
            engine.commit(Batch(commit_id, (_turn(ledger.key, _in_state(named, _RUNNING), _STOPPED),)))
        except ExpectationFailed:
            raise Conflict from None
    return state != _DONE
