"""Random changes of the model, writes, and stopped and resumed reindexes, against a naive set of pairs."""

from contextlib import suppress
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from stratabase.core.domain.objects.change import Effect
from stratabase.core.domain.objects.commit_refusals import IntegrityViolation
from stratabase.core.domain.objects.entity import RoleStorage, part_ids, storage_of
from stratabase.evolution.backfill.reindex import Reindex
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.graphs import Objects
from tests.core.store.stopping_engine import Stopped, StoppingEngine
from tests.evolution.backfill.changed_role_models import (
    STORAGES,
    Pairs,
    answers,
    refresh,
    reindexed,
    stored_as,
)
from tests.soak import count

FORMS = [name for name, (to, of) in STORAGES.items() if to is not None or of is None]
"""Not those in which only B has a role: they split the association from that of A."""


class RoleChanges(RuleBasedStateMachine):
    """Two classes with one association, which the model stores differently again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = ReferenceEngine()
        self.pairs: Pairs = set()
        self.ids: list[str] = []
        self.number = 0

    @initialize(form=st.sampled_from(FORMS))
    def begin(self, form: str) -> None:
        self.form = form
        self.objects = Objects(self.engine, stored_as(form), "")
        for _ in range(3):
            self.create()

    @rule(form=st.sampled_from(FORMS))
    def change_model(self, form: str) -> None:
        """Serve another model. Parts that lose their whole class stay, so they must not be orphans."""
        self.form = form
        self.objects = self.objects.under(stored_as(form))
        self.objects.entities.unbuilt()

    @rule()
    def create(self) -> None:
        """Create an A and a B without association, as far as the model allows that."""
        self.number += 1
        for class_name, id_ in (("A", f"A{self.number:03}"), ("B", f"b{self.number:03}")):
            with suppress(IntegrityViolation):
                self.objects.create(class_name, id_)
                self.ids.append(id_)

    @rule(data=st.data())
    def associate(self, data: st.DataObject) -> None:
        a, b = self._some(data, upper=True), self._some(data, upper=False)
        if a is None or b is None or (a, b) in self.pairs or self.form == "none":
            return
        if not self._has_room(a, b) or self._is_refused():
            return
        with suppress(IntegrityViolation):
            self.objects.commit(*self._effects(a, b, begins=True))
            self.pairs |= {(a, b)}

    @rule(data=st.data())
    def dissociate(self, data: st.DataObject) -> None:
        if not self.pairs or self.form == "none" or self._is_refused():
            return
        a, b = data.draw(st.sampled_from(sorted(self.pairs)))
        with suppress(IntegrityViolation):
            self.objects.commit(*self._effects(a, b, begins=False))
            self.pairs -= {(a, b)}

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        id_ = self._some(data, upper=data.draw(st.booleans()))
        if id_ is None or (self._is_refused() and self.form != "none"):
            return
        class_name = "A" if id_.isupper() else "B"
        gone = [id_]
        effects: list[Effect] = []
        if self.form in {"parts", "part"}:
            parts = [b for a, b in self.pairs if a == id_]
            gone += parts
            effects += [self.objects.deletion("B", each) for each in parts]
            for a, b in self.pairs:
                if b == id_:
                    effects += [each for each in self._effects(a, b, begins=False) if _id(each) != b]
        with suppress(IntegrityViolation):
            self.objects.commit(self.objects.deletion(class_name, id_), *effects)
            self.ids = [each for each in self.ids if each not in gone]
            self.pairs = {(a, b) for a, b in self.pairs if a not in gone and b not in gone}

    @rule()
    def reindex(self) -> None:
        """Build everything. If the model has room for all associations, all of them are there."""
        outcomes = reindexed(self.objects)
        if self.form != "none" and self._has_room():
            assert not any(outcome.duplicates for outcome in outcomes)
            reindexed(self.objects)  # a class may wait for the other
            assert self.objects.entities.unbuilt() == ()
            assert all(found == self.pairs for found in answers(self.objects, self.ids))

    @rule(commits=st.integers(0, 6))
    def stop_reindex(self, commits: int) -> None:
        """Stop a reindex after some commits, as if its process were killed."""
        engine = StoppingEngine(self.engine, commits + 1)
        with suppress(Stopped):
            for name in self.objects.model.classes:
                Reindex(engine, self.objects.model, sleep=lambda _: None).run(name)
        refresh(self.objects)

    @invariant()
    def all_or_refused(self) -> None:
        """Each side leads to all associations, or is refused."""
        if not hasattr(self, "objects") or self.form == "none":
            return
        for found in answers(self.objects, self.ids):
            assert found is None or found == self.pairs

    def _some(self, data: st.DataObject, *, upper: bool) -> str | None:
        ids = [id_ for id_ in self.ids if id_.isupper() == upper]
        return data.draw(st.sampled_from(ids)) if ids else None

    def _is_refused(self) -> bool:
        return None in answers(self.objects, self.ids)

    def _has_room(self, *more: str) -> bool:
        """Return whether the model of now can have all associations, and one more."""
        pairs = self.pairs | ({(more[0], more[1])} if more else set())
        to, of = STORAGES[self.form]
        one_b = to is not None and not to.many
        one_a = of is not None and not of.many
        firsts, seconds = [a for a, _ in pairs], [b for _, b in pairs]
        if one_b and len(firsts) != len(set(firsts)):
            return False
        if (
            self.form in {"parts", "part"}
            and not more
            and {b for b in self.ids if b.islower()} - set(seconds)
        ):
            return False
        return not (one_a and len(seconds) != len(set(seconds)))

    def _effects(self, a: str, b: str, *, begins: bool) -> list[Any]:
        effects: list[Any] = []
        for class_name, owner, other in (("A", a, b), ("B", b, a)):
            roles = self.objects.model.classes[self.objects.reference(class_name, "").class_name].roles
            for role in roles.values():
                storage = storage_of(self.objects.model, role)
                if storage in {RoleStorage.OWN_KEY, RoleStorage.WHOLE}:
                    changes = {role.name: other if begins else None}
                    effects.append(self.objects.update(class_name, owner, **changes))
                elif storage is RoleStorage.PARTS:
                    before = part_ids(self.objects.get(class_name, owner).state.get(role.name))
                    after = [*before, other] if begins else [id_ for id_ in before if id_ != other]
                    value: Any = after if role.many else next(iter(after), None)
                    effects.append(self.objects.update(class_name, owner, **{role.name: value or None}))
                elif storage is RoleStorage.LINKS and class_name == "A":
                    change = self.objects.linking if begins else self.objects.unlinking
                    effects += change("A", role.name, owner, other)
        return effects


def _id(effect: Any) -> str:
    return str(effect.after.reference.id)


RoleChanges.TestCase.settings = settings(
    max_examples=count(20, 1500), stateful_step_count=count(14, 40), deadline=None
)
TestRoleChanges = RoleChanges.TestCase
