"""Random derived attributes agree with the naive model."""

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.query.derived import Computed
from stratabase.core.domain.query.fetch import Fetch, RoleFetch, ToOne
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import read_views
from tests.core.operations.read.derived.naive import NaiveDerivation
from tests.core.operations.read.derived.random_graphs import objects_of
from tests.core.operations.read.derived.random_models import derived_model
from tests.core.operations.read.derived.random_queries import fetch
from tests.core.operations.read.naive import ExpectedView
from tests.fakes import ADMINISTRATOR, NOON, request_of

CIRCUMSTANCES = evaluation_context(ADMINISTRATOR, NOON)


@given(st.integers(0, 2**32))
def test_derived_attributes_of_random_objects_agree_with_the_naive_model(seed: int) -> None:
    chance = Random(seed)
    model, result = derived_model(chance)
    entities = objects_of(chance, model)
    plain = NaiveDerivation(model, result, entities)
    reader = Reader(request_of(model, entities, CIRCUMSTANCES))
    for class_ in model.classes.values():
        there = [each for ref, each in entities.objects.items() if ref.class_name == class_.name]
        there = [each for each in there if plain.there(each.reference)]
        names = tuple(name for owner, name in result if owner == class_.name)

        views: list[Any] = read_views(reader, Fetch({}, names), there)

        assert views == [{**each.state, **plain.values(each)} for each in there]
        assert [
            each.state for each in run(reader.with_computed(class_.name, there, Computed(tuple(names))))
        ] == views


@given(st.integers(0, 2**32))
def test_derived_attributes_of_random_fetches_agree_with_the_naive_model(seed: int) -> None:
    """The pages are also filtered and ordered by derived attributes."""
    chance = Random(seed)
    model, result = derived_model(chance)
    entities = objects_of(chance, model)
    plain = NaiveDerivation(model, result, entities)
    for class_ in model.classes.values():
        wanted = fetch(chance, model, class_, CIRCUMSTANCES)
        there = plain.all_of(class_.name)
        reader = Reader(request_of(model, entities, CIRCUMSTANCES))
        reader.add(there if chance.random() < 0.5 else ())

        views = read_views(reader, wanted, there)

        assert [shown(wanted, view) for view in views] == [plain.view(wanted, each) for each in there]


def shown(wanted: Fetch, view: Any) -> Any:
    """Return the expected part of a view, which may also contain values that a query needed."""
    if view is None:
        return None
    kept = {name: value for name, value in view.items() if name in {"_id", "name", "size", "price"}}
    derived = {name: view[name] for name in wanted.derived}
    return kept | derived | {spot: _role(role, view[spot]) for spot, role in wanted.roles.items()}


def _role(role: RoleFetch, found: Any) -> Any:
    if isinstance(role, ToOne):
        return shown(role.fetch, found)
    page, views = found
    wanted = role.query.fields
    return ExpectedView(
        [shown(role.fetch, view) for view in views] if wanted.items else [],
        page.total_count if wanted.total_count else None,
        page.has_next if wanted.has_next else None,
        page.has_prev if wanted.has_prev else None,
    )
