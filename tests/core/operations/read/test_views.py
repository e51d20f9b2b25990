"""Fetches are loaded level by level in batches, and agree with the naive model."""

from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import RoleName, UnmadeEntities
from stratabase.core.domain.query.fetch import Fetch, ToOne
from stratabase.core.operations.read import views
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import read_views
from tests.core.operations.read import naive
from tests.core.operations.read.graphs import fetches, graphs
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import request_of


@pytest.fixture(autouse=True, scope="module")
def few_at_once() -> Iterator[None]:
    """Read candidates in pages of two, so that a few objects take several pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "_LEAST", 2)
        yield


@given(st.data(), graphs())
def test_a_fetch_agrees_with_the_naive_model(data: st.DataObject, objects: EverythingObjects) -> None:
    class_name = data.draw(st.sampled_from(["Person", "Team", "Desk", "House", "Address"]))
    roots = [entity for reference, entity in objects.objects.items() if reference.class_name == class_name]
    fetch = data.draw(fetches(EVERYTHING.classes[class_name]))

    reader = Reader(request_of(EVERYTHING, objects))
    reader.add(roots if data.draw(st.booleans()) else ())

    unmade = UnmadeEntities(class_name, [root.state for root in roots], lambda: roots)
    found: list[Any] = read_views(reader, fetch, unmade if data.draw(st.booleans()) else roots)

    there = [root for root in roots if naive.there(objects, *root.reference) is not None]
    assert found == [naive.view(objects, fetch, root) for root in there]


def test_the_roles_of_a_page_need_only_the_states_of_its_objects() -> None:
    objects = EverythingObjects()
    objects.put("Team", "t", name="Engines")
    states = [objects.put("Person", id_, team="t").state for id_ in ("a", "b")]

    def make() -> NoReturn:
        raise AssertionError("nothing needs more than the states")

    team = ToOne(RoleName("Person", "team"), EVERYTHING.classes["Person"].roles["team"], Fetch())
    fetch = Fetch({"team": team})
    found = read_views(Reader(request_of(EVERYTHING, objects)), fetch, UnmadeEntities("Person", states, make))

    assert found == [{**state, "team": {"_id": "t", "name": "Engines"}} for state in states]
