"""Records the plans of queries in the names of the model, which may differ from those in the store."""

from collections.abc import Iterator
from contextlib import contextmanager

from stratabase.core.domain.query.taken_plan import AdvisedIndex, NotePlan, TakenPlan
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.query.planner import record_plans


@contextmanager
def record_named_plans(model: Model, note: NotePlan) -> Iterator[None]:
    """Report each plan that the current request takes inside the `with` block, in the names of a model.

    Only the descriptions keep the names in the store.
    """
    names = StoredNames(model).by_stored_name

    def note_named(plan: TakenPlan) -> None:
        advised = plan.advised_index
        if advised is not None:
            known = names[advised.class_name]
            attributes = tuple(known.from_stored.get(each, each) for each in advised.attributes)
            advised = AdvisedIndex(known.name, attributes)
        note(TakenPlan(names[plan.class_name].name, plan.description, advised))

    with record_plans(note_named):
        yield
