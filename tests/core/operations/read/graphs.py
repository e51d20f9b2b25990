"""Random graphs and fetches over the everything model. Objects are few, so that many are related."""

from typing import Any

from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.fetch import Associables, Fetch, RoleFetch, ToMany, ToOne
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.model import Class, Role
from stratabase.core.model.types.operators import Operator
from tests.core.operations.read.naive import ExpectedView
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.role_rules import is_linked

IDS = ["a", "b", "c", "d", "e"]
"""The ids in each class. Those without an object are the targets of broken references."""
SIZES = {"Person": 4, "Team": 3, "Desk": 3, "Project": 3, "Skill": 3}
_PARTS = ("Address", "Room", "Window", "Phone", "Contract", "Door")


@st.composite
def graphs(draw: st.DrawFn) -> EverythingObjects:
    """Draw a graph. Both ends of each association agree."""
    objects = EverythingObjects()
    for class_name, size in SIZES.items():
        for id_ in draw(st.lists(st.sampled_from(IDS), max_size=size, unique=True)):
            _put(draw, objects, EVERYTHING.classes[class_name], id_)
    _put(draw, objects, EVERYTHING.classes["House"], "1")
    for class_ in EVERYTHING.classes.values():
        for role in class_.roles.values():
            if class_.name != "Complaint" and is_linked(role) and _is_free(role):
                for owner in draw(st.lists(st.sampled_from(IDS), max_size=3)):
                    others = draw(st.lists(st.sampled_from(IDS), max_size=4))
                    objects.link(class_.name, role.name, owner, *others)
    _face_rooms(draw, objects)
    deletable = sorted(reference for reference in objects.objects if reference.class_name != "House")
    for reference in draw(st.lists(st.sampled_from(deletable), max_size=3)) if deletable else ():
        # What leads to it dangles, and so do its parts. The singleton is never deleted.
        objects.objects.pop(reference, None)
    return objects


def _face_rooms(draw: st.DrawFn, objects: EverythingObjects) -> None:
    """Link windows to rooms, including those of other addresses."""
    rooms = [reference.id for reference in objects.objects if reference.class_name == "Room"]
    for reference, window in list(objects.objects.items()):
        if reference.class_name == "Window" and rooms:
            objects.put(*reference, **{**window.state, "faces": draw(st.sampled_from(rooms))})


def _is_free(role: Role) -> bool:
    """Return whether a role is not stored as a key."""
    opposite = role.opposite and EVERYTHING.classes[role.target].roles[role.opposite]
    return not opposite or opposite.many


def _put(draw: st.DrawFn, objects: EverythingObjects, class_: Class, id_: str, **state: Any) -> None:
    """Add an object, its parts, and their parts."""
    for name in {"height", "last_name", "street", "name"} & class_.attributes.keys():
        values = [1, 2, None] if name == "height" else ["x", "y", None]
        state[name] = draw(st.sampled_from(values))
    for role in class_.roles.values():
        if role.holds_key:
            state[role.name] = _free_key(draw, objects, class_, role)
        elif role.composition:
            state[role.name] = _parts(draw, objects, class_.name, id_, role)
    objects.put(class_.name, id_, **{name: value for name, value in state.items() if value is not None})


def _free_key(draw: st.DrawFn, objects: EverythingObjects, class_: Class, role: Role) -> str | None:
    key = draw(st.none() | st.sampled_from(IDS))
    back = role.opposite and EVERYTHING.classes[role.target].roles[role.opposite]
    if back and not back.many:
        held = {each.state.get(role.name) for each in objects.objects.values()}
        return None if key in held else key
    return key


def _parts(draw: st.DrawFn, objects: EverythingObjects, owner: str, id_: str, role: Role) -> Any:
    target = EVERYTHING.classes[role.target]
    assert role.opposite
    most = 0 if target.name not in _PARTS else 3 if role.many else 1
    ids = [f"{owner}.{id_}.{role.name}.{number}" for number in range(draw(st.integers(0, most)))]
    for part in ids:
        _put(draw, objects, target, part, **{role.opposite: id_})
    if role.many:
        return list(draw(st.permutations(ids))) if ids else None
    return ids[0] if ids else None


@st.composite
def fetches(draw: st.DrawFn, class_: Class, depth: int = 3) -> Fetch:
    """Draw a fetch on objects of a class."""
    if depth == 0 or not class_.roles:
        return Fetch()
    names = draw(st.lists(st.sampled_from(sorted(class_.roles)), max_size=2))
    return Fetch({f"k.{place}": draw(_role(class_, name, depth)) for place, name in enumerate(names)})


@st.composite
def _role(draw: st.DrawFn, class_: Class, name: str, depth: int) -> RoleFetch:
    role, target = class_.roles[name], EVERYTHING.classes[class_.roles[name].target]
    below = draw(fetches(target, depth - 1))
    value = RoleName(class_.name, name), role, below
    association = not role.composition and not role.whole
    if association and draw(st.booleans()):
        query = draw(queries(target))
        return Associables(*value, query, _shown(query))
    if role.many:
        query = draw(queries(target))
        return ToMany(*value, query, _shown(query))
    return ToOne(*value)


def _shown(query: Query) -> Any:
    def shown(page: Any, views: Any) -> ExpectedView:
        wanted = query.fields
        return ExpectedView(
            list(views) if wanted.items else [],
            page.total_count if wanted.total_count else None,
            page.has_next if wanted.has_next else None,
            page.has_prev if wanted.has_prev else None,
        )

    return shown


@st.composite
def queries(draw: st.DrawFn, class_: Class) -> Query:
    """Draw a query on a class; often one without a filter, by id."""
    name = next((name for name in ("height", "name", "street") if name in class_.attributes), None)
    terms = [OrderTerm("_id"), OrderTerm("_id", descending=True), *([OrderTerm(name)] if name else [])]
    order = Order.of(draw(st.lists(st.sampled_from(terms), max_size=1)))
    values = [1, None] if name == "height" else ["x", None]
    filters = [None, None, *(Comparison(name, Operator.EQ, value) for value in values if name)]
    start = draw(st.none() | st.sampled_from(IDS).map(lambda id_: _position(order, id_, values[0])))
    window = Window(
        size=draw(st.integers(0, 3)),
        backward=draw(st.booleans()),
        offset=draw(st.sampled_from([0, 0, 1, 2])),
        start=start,
        inclusive=draw(st.booleans()),
    )
    counted = draw(st.sampled_from([False, False, True]))
    wanted = PageFields(draw(st.booleans()), counted, draw(st.booleans()), draw(st.booleans()))
    return Query(class_.name, order, draw(st.sampled_from(filters)), window, wanted)


def _position(order: Order, id_: str, value: Any) -> Position:
    return Position(tuple(id_ if term.attribute == "_id" else value for term in order.terms))
