"""Roles that a model stores differently than before: every service answers or refuses by name."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.evolving_api import HEADING, EvolvingApi

ROLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "key": ("to: B", ""),
        "required key": ("to: B!", ""),
        "key and list": ('to: B @association(opposite: "of")', 'of: [A!] @association(opposite: "to")'),
        "one to one": (
            'to: B @association(opposite: "of", holds: true)',
            'of: A @association(opposite: "to")',
        ),
        "one to one, held by B": (
            'to: B @association(opposite: "of")',
            'of: A @association(opposite: "to", holds: true)',
        ),
        "list one way": ("to: [B!]", ""),
        "many to many": ('to: [B!] @association(opposite: "of")', 'of: [A!] @association(opposite: "to")'),
        "held by B": ('to: [B!] @association(opposite: "of")', 'of: A @association(opposite: "to")'),
        "parts": ('to: [B!] @composition(whole: "of")', ""),
        "part": ('to: B @composition(whole: "of")', ""),
    }
)
"""By name: the role of A, and the role of B if it is declared."""


def model_of(name: str) -> str:
    """Return a model in which the classes have this association, and derived attributes along it."""
    to, of = ROLES[name]
    path = 'path: "to.name"' if "[" not in to else 'path: "to", aggregate: COUNT'
    type_ = "String" if "[" not in to else "Int"
    return f"""
        type A @class(versioned: true) {{ name: String  {to}  far: {type_} @derived({path}) }}
        type B @class(exposed: true) {{ name: String  {of} }}
    """


PAIRS = [(before, after) for before in ROLES for after in ROLES if before != after]
ALWAYS = {
    ("key", "key and list"),
    ("key and list", "many to many"),
    ("many to many", "parts"),
    ("part", "key"),
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(*pair, marks=() if pair in ALWAYS else pytest.mark.thorough, id=" to ".join(pair))
        for pair in PAIRS
    ],
)
def test_all_services_answer_in_full_or_refuse_by_name(before: str, after: str) -> None:
    api = EvolvingApi(ReferenceEngine(), model_of(before))
    a, b = _create(api, before)
    api.serve(model_of(after))
    for _ in range(2):
        _check_reads(api, after, a, b, built=False)
        # A part that has not been moved yet is not found in its whole.
        errors = api.update("A", _id=a, **_change(after, b))
        assert all("reindex" in error or b in error for error in errors)
        assert api.update("A", _id=a, name="new") == []
    for outcome in api.reindex():
        assert not outcome.interrupted
        assert not outcome.duplicates
    api.serve(model_of(after))
    _check_reads(api, after, a, b, built=True)
    assert api.delete("A", a) == []
    assert api.ask("{ A___getPage { items { _id } } }") == {"items": []}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(*pair, marks=() if pair in ALWAYS else pytest.mark.thorough, id=" to ".join(pair))
        for pair in PAIRS
    ],
)
def test_bulk_writes_saves_and_restorations_lose_nothing(before: str, after: str) -> None:
    """They change no role, so that each leads where it led, before and after a reindex."""
    api = EvolvingApi(ReferenceEngine(), model_of(before))
    a, b = _create(api, before)
    api.clock.instant += 1000
    assert api.update("A", _id=a, name="second") == []
    api.serve(model_of(after))
    for is_built in (False, True):
        api.clock.instant += 1000
        restore = f"""A___restoreVersion(_id: "{a}", atVersion: "01-01-2020 12:00:00.500",
            forceWarnings: {{dataValidation: true}}) {{ name }}"""
        writes = (
            (f'A___save(data: {{_id: "{a}", name: "saved"}}) {{ name }}', "saved"),
            (
                """A___updateBulk(data: {name: "bulk"},
              options: {filter: {_id___not___null: true}}) { items { name } }""",
                "bulk",
            ),
            (restore, "a"),
        )
        for write, name in writes:
            body = api.body(f"mutation {{ {write} }}")
            if "errors" not in body:
                assert api.ask(f'{{ A___get(_id: "{a}") {{ name }} }}') == {"name": name}
            _check_refusal(body, b, built=is_built)
            _check_reads(api, after, a, b, built=is_built)
        if not is_built:
            api.reindex()
            api.serve(model_of(after))
    everything = "mutation { A___deleteBulk(options: {filter: {_id___not___null: true}}) { deleted } }"
    assert api.ask(everything) == {"deleted": 1}
    api.clock.instant += 1000
    body = api.body(f"mutation {{ {restore} }}")
    if "required" in after and before in KEPT_ELSEWHERE:
        assert [error["message"] for error in body["errors"]] == ["A.to requires one B."]
        return
    _check_refusal(body, b, built=True)
    assert "errors" in body or api.ask(f'{{ A___get(_id: "{a}") {{ name }} }}') == {"name": "a"}


@pytest.mark.parametrize("unique", ["", '@unique(attributes: ["name"])'], ids=["read all", "by targets"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(*pair, marks=() if pair in ALWAYS else pytest.mark.thorough, id=" to ".join(pair))
        for pair in PAIRS
    ],
)
def test_filters_and_grants_along_a_role_answer_in_full_or_refuse_by_name(
    before: str, after: str, unique: str
) -> None:
    """Both where a page reads all objects, and where it starts at the other end."""
    member = Caller("1", "ada", "Member")
    api = EvolvingApi(ReferenceEngine(), _granted(before, unique))
    a, b = _create(api, before)
    for number in range(3):
        other = api.create("B", name=f"b{number}") if before == "required key" else None
        api.create("A", name="x", **({} if other is None else {"to": other}))
    api.serve(_granted(after, unique))
    for is_built in (False, True):
        to, of = ROLES[after]
        some = "to___some" if "[" in to else "to"
        pages = [
            ("A", f'{some}: {{name___eq: "b"}}', [a]),
            ("A", f'{some}: {{name___gte: "b" name___lt: "b0"}} name___ne: "x"', [a]),
        ]
        if of:
            back = "of___some" if "[" in of else "of"
            pages += [("B", f'{back}: {{name___eq: "a"}}', [b])]
        for class_name, filter_, ids in pages:
            page = (
                f"{class_name}___getPage(options: {{filter: {{{filter_}}}}}) {{ totalCount items {{ _id }} }}"
            )
            _check_page(api.body(f"{{ {page} }}"), ids, built=is_built)
            _check_page(api.body(f"{{ {page} }}", member), ids, built=is_built)
        page = "A___getPage { totalCount items { _id } }"
        _check_page(api.body(f"{{ {page} }}", member), [a], built=is_built)
        if not is_built:
            api.reindex()
            api.serve(_granted(after, unique))


def _granted(name: str, unique: str) -> str:
    """Return a model whose members see only what leads to B."""
    condition = "to.name == 'b'" if "[" not in ROLES[name][0] else "name != 'x'"
    grant = f"""@grant(profile: "Member", allow: [READ], where: "{condition}")"""
    text = model_of(name).replace("type A", f"type A {grant}")
    text = text.replace("type B", f"""type B {unique} @grant(profile: "Member", allow: [READ])""")
    return f"""{HEADING.strip()} @profile(name: "Member")\n{text}"""


def _check_page(body: Mapping[str, Any], ids: list[str], *, built: bool) -> None:
    _check_errors(body, built=built)
    if "errors" not in body:
        (page,) = body["data"].values()
        assert page == {"totalCount": len(ids), "items": [{"_id": id_} for id_ in ids]}


def test_a_restoration_leaves_a_role_as_it_is_that_the_version_does_not_have() -> None:
    api = EvolvingApi(ReferenceEngine(), model_of("many to many"))
    a, b = _create(api, "many to many")
    api.clock.instant += 1000
    assert api.update("A", _id=a, name="second") == []
    api.serve(model_of("parts"))
    api.reindex()
    restore = f'A___restoreVersion(_id: "{a}", atVersion: "01-01-2020 12:00:00.500"'

    (error,) = api.body(f"mutation {{ {restore}) {{ name }} }}")["errors"]
    assert error["message"] == (
        "A.to: That version does not have it, because the model has changed since how the role is stored, "
        "so it can't be restored. To continue without it, use forceWarnings: {dataValidation: true}."
    )
    assert error["extensions"]["issueLevel"] == "WARNING"
    forced = f"{restore}, forceWarnings: {{dataValidation: true}}) {{ name to {{ items {{ _id }} }} }}"
    assert api.ask(f"mutation {{ {forced} }}") == {"name": "a", "to": {"items": [{"_id": b}]}}


KEPT_ELSEWHERE = {"one to one, held by B", "list one way", "many to many", "held by B", "part", "parts"}
"""The roles whose associations the versions of A do not have as a key."""


def _check_refusal(body: Mapping[str, Any], b: str, *, built: bool) -> None:
    """Assert that a write is done, or refused because of the role or its target."""
    for error in body.get("errors", ()):
        message = error["message"]
        assert ("reindex" in message and not built) or "later versions" in message or b in message, error


def _create(api: EvolvingApi, name: str) -> tuple[str, str]:
    """Create an A that leads to a B, and return their ids."""
    if name in {"parts", "part"}:
        part = {"name": "b"}
        a = api.create("A", name="a", to=[part] if name == "parts" else part)
        (found,) = api.ask("{ B___getPage { items { _id } } }")["items"]
        return a, str(found["_id"])
    b = api.create("B", name="b")
    return api.create("A", name="a", to=[b] if "[" in ROLES[name][0] else b), b


def _change(name: str, b: str) -> dict[str, Any]:
    """Return an update that sets the role to what it leads to already."""
    if name in {"parts", "part"}:
        data = {"_id": b, "name": "b"}
        return {"to": {"update": [data] if name == "parts" else data}}
    return {"to": {"add": [b]} if "[" in ROLES[name][0] else {"set": b}}


def _check_reads(api: EvolvingApi, name: str, a: str, b: str, *, built: bool) -> None:
    """Assert that each read has what the role leads to, or an error that says what to do."""
    to, of = ROLES[name]
    many = "[" in to
    shape = f"to {{ {'items { _id name }' if many else '_id name'} }}"
    queries = [
        f'{{ A___get(_id: "{a}") {{ {shape} }} }}',
        f"{{ A___getPage {{ items {{ {shape} }} }} }}",
        f'{{ A___getVersionPage(_id: "{a}") {{ items {{ name {shape} }} }} }}',
    ]
    if of or name in {"parts", "part"}:
        back = "of { items { _id to { __typename } } }" if "[" in of else "of { _id to { __typename } }"
        queries += [f'{{ B___get(_id: "{b}") {{ {back} }} }}', f"{{ B___getPage {{ items {{ {back} }} }} }}"]
    for query in queries:
        body = api.body(query)
        wanted = a if "B___" in query else b
        if "errors" not in body and "Version" not in query:
            assert f'"{wanted}"' in json.dumps(body), query
        _check_errors(body, built=built and "Version" not in query)
    for query in (
        "{ A___getPage(options: { orderBy: [far___ASC] }) { items { far } } }",
        f'{{ A___get(_id: "{a}") {{ far }} }}',
    ):
        body = api.body(query)
        if "errors" not in body:
            assert f'"far": {1 if many else json.dumps("b")}' in json.dumps(body)
        _check_errors(body, built=built)


def _check_errors(body: Mapping[str, Any], *, built: bool) -> None:
    errors = body.get("errors", ())
    assert not (built and errors), errors
    for error in errors:
        assert error["extensions"].get("issueType") == "ROLE_DOMAIN", error
        assert "reindex" in error["message"] or "later versions" in error["message"]
