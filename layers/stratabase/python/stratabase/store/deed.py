"""A change on its way into the store: one action on each key, as far as is known of what is there."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stratabase.domain.objects.change import Change
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    RoleNotBuilt,
    RoleViolation,
)
from stratabase.domain.objects.entity import RoleName
from stratabase.store.desk import Desk
from stratabase.store.engine.expectations import is_met
from stratabase.store.engine.port import Action, Check, Failure, Item, Key, Put
from stratabase.store.guards import Guards
from stratabase.store.head import Head
from stratabase.store.indexes.registry_cache import WriteRules
from stratabase.store.locks import held
from stratabase.store.merging import merged


class Surroundings(NamedTuple):
    """What a change is about beside its own objects, and with them."""

    heads: Mapping[Key, Head] = MappingProxyType({})
    """Those of its own objects as well: what is demanded of them may be more."""
    links: Mapping[Key, Action] = MappingProxyType({})
    evidence: Mapping[Key, tuple[Key, Sequence[RoleName]]] = MappingProxyType({})
    """What must be there if something is to be counted off: the key of the head where, and the roles."""
    ledgers: Sequence[Put] = ()
    besides: Sequence[Put | Check] = ()
    """Versions that end, and that nothing is left to be purged of what comes back."""


ALONE = Surroundings()


class Deed:
    """A change, which learns from each refusal what it takes to be done. Raises Taken, NotBuilt, Broken."""

    def __init__(
        self,
        desk: Desk,
        rules: WriteRules,
        change: Change,
        around: Surroundings = ALONE,
        plain: Iterable[Action] = (),
    ) -> None:
        """`plain`: what is done to the objects of a change that is about nothing else."""
        self.change = change
        self._desk = desk
        self._plain = tuple(plain)
        self._heads = around.heads
        self._links = dict(around.links)
        self._evidence = dict(around.evidence)
        self._ledgers = around.ledgers
        self._besides = around.besides
        self._rules = rules
        self._guards = Guards(change, rules.constraints, desk.read, desk.associations)
        self._unkept = rules.broken_foreign_roles(change)

    @property
    def left(self) -> list[Key]:
        """The keys of the ledgers of what is left."""
        return [ledger.key for ledger in self._ledgers]

    @property
    def fence(self) -> Check:
        """The expectation that the rules are still those that the change is written by."""
        return self._rules.fence

    @property
    def is_outdated(self) -> bool:
        """Whether the rules are not those any more that the change is written by, as far as is known here."""
        return self._desk.rules().registry.revision != self._rules.registry.revision

    @property
    def changes_rules(self) -> bool:
        """Whether the change has noted something in the registry."""
        return any(self._violation())

    def actions(self) -> tuple[Action, ...]:
        """Return what to do under the present belief."""
        beside = self._guards.bystanders
        if self._plain:  # as of most changes
            return (*self._plain, *self._guards.actions(), *beside.values(), *self._violation())
        heads = (merged(head, beside.get(key), self._guards.gives_up) for key, head in self._heads.items())
        return (
            *(action for action in heads if action is not None),
            *self._guards.actions(),
            *(check for key, check in beside.items() if key not in self._heads),
            *self._links.values(),
            *self._ledgers,
            *self._besides,
            *self._violation(),
        )

    def _violation(self) -> Iterator[Action]:
        """Yield what notes in the registry what other models ask for, and the change does not keep to."""
        if not (self._guards.violated or self._unkept):
            return
        if noted := self._rules.violation_note(self._guards.violated, self._unkept):
            yield noted

    @property
    def tallies(self) -> Mapping[Key, Counter[RoleName]]:
        """How many more (fewer) are to be counted at each object, as is believed."""
        return {key: head.demand.tally for key, head in self._heads.items()}

    def count_on(self, tallies: Mapping[Key, Counter[RoleName]]) -> None:
        """Count off what is deleted what a change counts off of which this one leaves a part for later."""
        for key, head in self._heads.items():
            if head.ends:
                head.demand.tally = tallies.get(key, head.demand.tally)

    def check(self) -> None:
        """Refuse what no action can express. Raises Broken, Conflict."""
        if self._plain:
            return
        certain = [breach for head in self._heads.values() if (breach := head.impossible())]
        torn = [key for key, head in self._heads.items() if head.is_torn(self._guards.gives_up)]
        # A role that is not built yet is told once, whatever leads to it and whoever loses by it.
        told = {
            breach.role if isinstance(breach, RoleNotBuilt) else breach: breach
            for breach in reversed(certain)
        }
        _refuse([*reversed(told.values()), *(self._judge(self._read(torn)) if torn else ())])

    def learn(self, failures: Sequence[Failure]) -> None:
        """Believe what a refused commit found. Raises Held, Conflict, Taken, Broken."""
        if locked := held(failures):
            raise LockedByOthers(locked)
        found = {failure.action.key: failure.found for failure in failures}
        if any(self._is_conflict(key, item) for key, item in found.items()):
            raise Conflict
        lost = self._guards.learn([each for each in failures if self._guards.knows(each.action.key)])
        self._learn_what_was_not_counted(found)
        suspects = self._judge(found)
        if suspects:
            sure = self._judge(self._read([key for key in found if key in self._heads]))
            suspects = [breach for breach in suspects if breach in sure]
        if lost.claims or not suspects:
            lost.refuse()
        _refuse([*suspects, *(hold.breach for hold in lost.holds)])

    def _is_conflict(self, key: Key, found: Item | None) -> bool:
        """Return whether what was found is neither a guard, nor as others than this change need it."""
        beside = self._guards.bystanders.get(key)
        if key in self._heads or beside:
            return beside is not None and not is_met(beside.expect, found)
        return not (self._guards.knows(key) or key in self._evidence)

    def _learn_what_was_not_counted(self, found: Mapping[Key, Item | None]) -> None:
        """Count nothing off for a key that is older than its link or guard."""
        for key in found.keys() & self._evidence.keys():
            if key in self._links or not self._guards.was_held(key):
                head, roles = self._evidence.pop(key)
                self._heads[head].demand.tally.update(roles)
                self._links.pop(key, None)

    def _judge(self, found: Mapping[Key, Item | None]) -> list[RoleViolation]:
        """Return what is wrong with the roles if these are the heads. Raises Conflict."""
        return [
            breach
            for key, item in found.items()
            if key in self._heads
            for breach in self._heads[key].judge(item, self._desk.count, self._guards.gives_up)
        ]

    def _read(self, wanted: Sequence[Key]) -> dict[Key, Item | None]:
        return dict(zip(wanted, self._desk.engine.get(wanted), strict=True))


def _refuse(breaches: Iterable[RoleViolation]) -> None:
    if found := tuple(dict.fromkeys(breaches)):
        raise IntegrityViolation(found)
