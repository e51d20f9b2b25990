"""Values under a changed type: what is read, filtered, ordered and written, on both kinds of engines.

The expected results come from a table of texts, with the types that have a value with that text.
"""

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import count as numbers
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.types import TYPES
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.evolving_api import EvolvingApi
from tests.soak import count
from tests.stored_texts import FILE, READ_BY, TYPE_NAMES, reads, stored

FORMATS = {"Date": "yyyy-MM-dd", "Time": "HH:mm:ss.SSS", "Datetime": "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"}
"""By type: the format in which answers show what is stored."""
_commits = numbers(1)


def model(type_: str, *, indexed: bool = True, more: str = "") -> str:
    """Return the text of a model with an attribute `x` of a type."""
    directives = ' @index(attributes: ["x", "name"])' if indexed and type_ != "File" else ""
    return (
        f"type Thing @class(versioned: true){directives} {{ name: String! x: {type_}{more} }}\n"
        "type Other { mood: Mood }\nenum Mood { HAPPY SAD }"
    )


class ChangedModel:
    """Objects that were stored under one type of `x`, and the API under another type."""

    def __init__(self, engine: Engine, old: str, new: str) -> None:
        self.old, self.new = old, new
        self.api = EvolvingApi(engine, model(old))
        self.texts = {f"i{number:02}": text for number, text in enumerate(READ_BY) if reads(old, text)}
        states: dict[str, Any] = {id_: stored(old, text) for id_, text in self.texts.items()}
        if old == "File":
            states = {"i00": FILE}
        self.ids = [*states, "none"]
        states["none"] = None
        effects = tuple(
            Creation(Entity(Reference("Thing", id_), {"_id": id_, "name": id_, "x": value}))
            for id_, value in states.items()
        )
        self.api.entities.commit(Change(f"c{next(_commits)}", self.api.clock.now(), effects))
        self.api.clock.instant += 1000
        self.api.serve(model(new))

    @property
    def shown(self) -> dict[str, str | None]:
        """The text that answers must show, by id."""
        texts = {id_: text if reads(self.new, text) else None for id_, text in self.texts.items()}
        return {**dict.fromkeys(self.ids), **texts}

    def page(self, **options: Any) -> dict[str, str | None]:
        """Return the texts of `x` of the objects of a page, in its order, by id."""
        field = f'x(format: "{FORMATS[self.new]}")' if self.new in FORMATS else "x"
        if self.new == "File":
            field = "x { fileId }"
        query = f"""query($o: ThingPageOptions) {{
            Thing___getPage(options: $o) {{ totalCount items {{ _id {field} }} }} }}"""
        page = self.api.ask(query, o={"next": 100, **options})
        assert page["totalCount"] == len(page["items"])
        return {item["_id"]: text_of(item["x"]) for item in page["items"]}

    def operand(self, text: str) -> Any:
        """Return the value with a text as a client sends it."""
        return stored(self.new, text) if self.new in {"Int", "Year", "Boolean"} else text


def text_of(value: Any) -> str | None:
    """Return the text of a value of a response."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def sqlite(folder: Path) -> Engine:
    """Return an engine over a new file."""
    return SqliteEngine(folder / "store.db")


def memory(_: Path) -> Engine:
    """Return an engine in memory that, like DynamoDB, checks no fences."""
    return ReferenceEngine()


def check_reads(changed: ChangedModel) -> None:
    """Check all ways to read `x`."""
    shown, new = changed.shown, changed.new
    nulls = {id_: None for id_, text in shown.items() if text is None}
    if "File" in {new, changed.old}:
        assert {*changed.page(filter={"x___null": True})} == {*nulls}
        assert changed.page().keys() == shown.keys()
        return
    assert changed.page() == shown
    assert changed.page(filter={"x___null": True}) == nulls
    assert {*changed.page(filter={"x___not___null": True})} == {*shown} - {*nulls}
    assert {*changed.page(filter_exp="isNull(x)")} == {*nulls}
    for id_, text in shown.items():
        if text is not None:
            assert changed.page(filter={"x___eq": changed.operand(text)}) == {id_: text}
    rank = TYPES[new].sort_key if new in TYPES else str
    texts = {id_: text for id_, text in shown.items() if text is not None}
    ordered = [*nulls, *sorted(texts, key=lambda id_: (rank(stored(new, texts[id_])), id_))]
    assert [*changed.page(orderBy=["x___ASC"])] == ordered
    assert [*changed.page(orderBy=["x___DESC", "_id___DESC"])] == ordered[::-1]
    query = """query($o: ThingPageOptions) {
        Thing___getPage(options: $o) { nextCursor hasNext items { _id } } }"""
    seen, after = list[str](), None
    while True:
        page = changed.api.ask(
            query, o={"next": 5, "orderBy": ["x___ASC"], **({"cursor": after} if after else {})}
        )
        seen += [item["_id"] for item in page["items"]]
        after = page["nextCursor"]
        if not page["hasNext"]:
            break
    assert seen == ordered


PAIRS = [(old, new) for old in TYPE_NAMES for new in TYPE_NAMES if old != new]
CASES = [(open_, *pair) for pair in PAIRS for open_ in (sqlite, memory)][:: count(29, 1)]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("open_", "old", "new"), CASES, ids=[f"{open_.__name__}-{old}-{new}" for open_, old, new in CASES]
)
def test_a_changed_type_reads_the_texts_that_it_has(
    open_: Callable[[Path], Engine], old: str, new: str, tmp_path: Path
) -> None:
    with closing(open_(tmp_path)) as engine:
        check_changes(engine, old, new)


def check_changes(engine: Engine, old: str, new: str) -> None:
    """Check what one type shows of values of another type, before and after a reindex and writes."""
    changed = ChangedModel(engine, old, new)
    check_reads(changed)
    changed.api.reindex()
    changed.api.serve(model(new))
    check_reads(changed)
    # A write of another attribute keeps what is stored, also in the version that it closes.
    for id_ in changed.ids:
        assert changed.api.update("Thing", _id=id_, name=f"{id_}+") == []
    check_reads(changed)
    query = "query($i: ID!) { Thing___getVersionPage(_id: $i) { items { name } } }"
    assert len(changed.api.ask(query, i=changed.ids[0])["items"]) == 2
    # The former model shows again what it stored.
    changed.api.serve(model(old))
    changed.new = old
    if old == "File":
        assert [*changed.page().values()] == ['{"fileId": "f1"}', None]
    else:
        assert changed.page() == changed.shown
    # A value is replaced by another one, and the object deleted.
    changed.api.serve(model(new))
    if new not in {"Serial", "File"}:
        for id_ in changed.ids:
            assert changed.api.update("Thing", _id=id_, x=None) == []
        changed.new = new
        assert {*changed.page().values()} == {None}
        changed.api.serve(model(old))
        changed.new = old
        assert {*changed.page().values()} == {None}
    for id_ in changed.ids:
        assert changed.api.delete("Thing", id_) == []


SERVICES = """type Thing @class(versioned: true, platform: [CREATED_ON])
  @index(attributes: ["{index}"])
  @warning(name: "w", condition: "isNull(x) && name == 'warned'", message: "No x.") {{
  name: String! x: {type} filled: String required: {required}
  shown: String @derived(expression: "{expression}")
  last: {last} @derived(path: "others.y", aggregate: MAX)
  size: Int @derived(path: "others", aggregate: COUNT)
  others: [Other!] @association(opposite: "thing") }}
type Other {{ y: {last} thing: Thing @association(opposite: "others") }}
enum Mood {{ HAPPY SAD }}"""


def services_model(type_: str) -> str:
    """Return a model in which values of a type go through roles, derived attributes and warnings."""
    comparable = type_ if type_ in {"Int", "Real", "Date", "Time", "Datetime", "Year"} else "Int"
    required = "String!" if type_ == "File" else f"{type_}!"
    expression = "isNull(x) ? 'none' : name"
    index = "name" if type_ == "File" else "x"
    return SERVICES.format(type=type_, index=index, last=comparable, required=required, expression=expression)


FILE_CHANGES = [
    ("File", "String"),
    ("String", "File"),
    ("Int", "Serial"),
    ("Serial", "Date"),
    ("Mood", "Boolean"),
]


@pytest.mark.parametrize(("old", "new"), FILE_CHANGES, ids=["-".join(pair) for pair in FILE_CHANGES])
def test_no_service_fails_on_values_of_another_type(old: str, new: str) -> None:
    """Any unexpected error fails the test, because the API raises it."""
    api = EvolvingApi(ReferenceEngine(), services_model(old))
    value = {"File": FILE, "String": "plain", "Int": -7, "Serial": 7, "Mood": "SAD"}[old]
    state: dict[str, Any] = {"_id": "t1", "name": "t1", "x": value, "required": value, "filled": "f"}
    other: dict[str, Any] = {"_id": "o1", "y": value, "thing": "t1"}
    entities = [Entity(Reference("Thing", "t1"), state), Entity(Reference("Other", "o1"), other)]
    api.entities.commit(Change(f"c{next(_commits)}", api.clock.now(), tuple(map(Creation, entities))))
    start = api.clock.now()
    api.clock.instant += 1000
    api.serve(services_model(new))
    x = "x { fileId }" if new == "File" else "x"
    fields = f"_id name {x} shown last size others {{ totalCount items {{ y thing {{ {x} }} }} }}"
    for _ in ("before a reindex", "after it"):
        shown = api.ask(f'{{ Thing___get(_id: "t1") {{ {fields} }} }}')
        assert (shown["x"], shown["shown"], shown["size"]) == (None, "none", 1)
        assert shown["last"] == (-7 if old == "Int" else None)
        for options in (
            "orderBy: [name___ASC]",
            'filter_exp: "isNull(x)"',
            'filter: {x___null: true, filled___eq: "f"}',
            f"filter: {{last___null: {'false' if old == 'Int' else 'true'}}}",
        ):
            page = api.ask(
                f"{{ Thing___getPage(options: {{{options}}}) {{ totalCount items {{ {fields} }} }} }}"
            )
            assert [item["_id"] for item in page["items"]] == ["t1"], options
        draft = {"_id": "t1", "name": "warned"}
        validate = """query($d: ThingDraftUpdate!) { Thing___validateUpdate(data: $d) {
            isValid issues { issueType } } }"""
        found = api.ask(validate, d=draft)
        assert "ENTITY_DOMAIN" in {issue["issueType"] for issue in found["issues"]}
        if new != "Serial":
            assert "ATTRIBUTE_REQUIRED" in {issue["issueType"] for issue in found["issues"]} or new == "File"
        preview = f"query($d: ThingDraftUpdate!) {{ Thing___previewUpdate(data: $d) {{ {fields} }} }}"
        assert api.ask(preview, d={"_id": "t1", "filled": "g"})["x"] is None
        api.reindex()
        api.serve(services_model(new))
    bulk = """mutation($d: ThingUpdateBulk!, $o: ThingPageOptions!) {
        Thing___updateBulk(data: $d, options: $o) { __typename } }"""
    api.ask(bulk, d={"filled": "bulk"}, o={"filter": {"x___null": True}})
    at = f"{datetime.fromtimestamp(start / 1000, UTC):%d-%m-%Y %H:%M:%S}.{start % 1000:03}"
    assert api.ask(f'{{ Thing___getVersion(_id: "t1", atVersion: "{at}") {{ {fields} }} }}')["x"] is None
    now = (
        f"{datetime.fromtimestamp(api.clock.now() / 1000, UTC):%d-%m-%Y %H:%M:%S}.{api.clock.now() % 1000:03}"
    )
    diff = (
        f'{{ Thing___getVersionDiff(_id: "t1", from: "{at}", to: "{now}") {{ changes {{ name old new }} }} }}'
    )
    assert [change["name"] for change in api.ask(diff)["changes"]] == ["filled"]
    # A restoration keeps what the type of today does not read, after a warning.
    api.clock.instant += 1000
    restore = f"""mutation {{ Thing___restoreVersion(_id: "t1", atVersion: "{at}",
        forceWarnings: {{dataValidation: true}}) {{ {fields} filled }} }}"""
    body = api.body(restore)
    assert "errors" not in body or {each["extensions"]["issueType"] for each in body["errors"]} <= {
        "ATTRIBUTE_REQUIRED"
    }
    # Without versions, and back with them.
    unversioned = services_model(new).replace("versioned: true", "versioned: false")
    api.serve(unversioned)
    assert api.update("Thing", _id="t1", filled="unversioned") == []
    api.serve(services_model(old))
    assert api.ask('{ Thing___get(_id: "t1") { filled shown } }') == {"filled": "unversioned", "shown": "t1"}
    api.serve(services_model(new))
    assert api.delete("Thing", "t1") == []


UNIQUE = """type Thing @unique(attributes: ["x"]) { name: String x: %s }
type Other { mood: Mood }
enum Mood { HAPPY SAD }"""


@pytest.mark.parametrize("open_", [sqlite, memory])
def test_values_are_unique_as_the_type_of_today_reads_them(
    open_: Callable[[Path], Engine], tmp_path: Path
) -> None:
    with closing(open_(tmp_path)) as engine:
        api = EvolvingApi(engine, UNIQUE % "String")
        ids = {text: api.create("Thing", x=text) for text in ("5", "05", "HAPPY")}
        for type_, text, operand in (("Int", "5", "5"), ("Mood", "HAPPY", "HAPPY"), ("String", "05", '"05"')):
            api.serve(UNIQUE % type_)
            lookup = f"{{ Thing___getByX(x: {operand}) {{ _id }} }}"
            create = f"mutation {{ Thing___create(data: {{x: {operand}}}) {{ _id }} }}"
            assert api.ask(lookup) == {"_id": ids[text]}
            assert [each["extensions"]["issueType"] for each in api.body(create)["errors"]] == [
                "ENTITY_UNIQUE"
            ]
            assert [outcome.duplicates for outcome in api.reindex()] == [(), ()]
            api.serve(UNIQUE % type_)
            assert api.entities.unbuilt() == ()
            assert api.ask(lookup) == {"_id": ids[text]}
            (error,) = api.body(create)["errors"]
            assert "already" in error["extensions"]["userMessage"]
            # The other values are null, which several objects can have.
            if type_ != "String":
                for _ in range(2):
                    assert api.delete("Thing", api.create("Thing", x=None)) == []


def test_objects_with_a_removed_enum_value_are_not_unique_until_the_value_comes_back() -> None:
    text = """type Thing @unique(attributes: ["x", "y"]) {{ x: Mood y: Int }} enum Mood {{ {values} }}"""
    large = text.format(values="HAPPY SAD CALM")
    api = EvolvingApi(ReferenceEngine(), large)
    for x, y in (("CALM", 1), ("CALM", 2), ("SAD", 1)):
        id_ = api.create("Thing", x=x, y=y)
    api.serve(text.format(values="HAPPY SAD"))
    assert api.entities.unbuilt() == ()
    second = api.ask("{ Thing___getPage(options: {filter: {y___eq: 2}}) { items { _id x } } }")["items"][0]
    assert second["x"] is None
    assert api.update("Thing", _id=second["_id"], y=1) == []
    assert api.ask("{ Thing___getByX_Y(x: SAD, y: 1) { _id } }") == {"_id": id_}
    (error,) = api.body("mutation { Thing___create(data: {x: SAD, y: 1}) { _id } }")["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_UNIQUE"
    assert api.entities.unbuilt() == ()
    api.serve(large)
    assert api.entities.unbuilt() == ("Thing @unique(x, y)",)
    (error,) = api.body("mutation { Thing___create(data: {x: CALM, y: 1}) { _id } }")["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_UNIQUE"


GROWING = """type Thing @class(versioned: true) {directive} {{ x: Mood }}
enum Mood {{ {values} }}"""


@pytest.mark.parametrize("directive", ["index", "unique"])
@pytest.mark.parametrize("former", ["", "deleted", "overwritten"])
def test_an_enum_grows_without_a_build_unless_a_restoration_has_brought_back_a_removed_value(
    directive: str, former: str
) -> None:
    """The restored value is stored, although it is not a value when the index or constraint is built."""
    listed = f'@{directive}(attributes: ["x"])'
    small = GROWING.format(directive=listed, values="HAPPY SAD")
    api = EvolvingApi(ReferenceEngine(), GROWING.format(directive="", values="HAPPY SAD CALM"))
    id_ = api.create("Thing", x="CALM" if former else "SAD")
    at = "01-01-2020 12:00:00.500"
    api.clock.instant += 1000
    assert (api.delete("Thing", id_) if former == "deleted" else api.update("Thing", _id=id_, x=None)) == []
    api.clock.instant += 1000
    api.serve(small)
    api.reindex()
    api.serve(small)
    assert api.entities.unbuilt() == ()
    restore = f"""mutation {{ Thing___restoreVersion(_id: "{id_}", atVersion: "{at}",
        forceWarnings: {{dataValidation: true}}) {{ x }} }}"""
    assert api.ask(restore) == {"x": None if former else "SAD"}
    large = GROWING.format(directive=listed, values="HAPPY SAD CALM")
    api.serve(large)
    assert api.entities.unbuilt() == ((f"Thing @{directive}(x)",) if former else ())
    value = "CALM" if former else "SAD"
    for _ in ("before a reindex", "after it"):
        found = api.ask(
            f"{{ Thing___getPage(options: {{filter: {{x___eq: {value}}}}}) {{ items {{ _id }} }} }}"
        )
        assert found == {"items": [{"_id": id_}]}
        if directive == "unique":
            assert api.ask(f"{{ Thing___getByX(x: {value}) {{ _id }} }}") == {"_id": id_}
            (error,) = api.body(f"mutation {{ Thing___create(data: {{x: {value}}}) {{ _id }} }}")["errors"]
            assert error["extensions"]["issueType"] == "ENTITY_UNIQUE"
        api.reindex()
        api.serve(large)
        assert api.entities.unbuilt() == ()
