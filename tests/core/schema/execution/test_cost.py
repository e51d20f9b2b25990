"""The cost of a request is estimated from its selection, and checked before execution."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from graphql import GraphQLError, OperationDefinitionNode, get_introspection_query, get_operation_ast, parse

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.schema.execution.cost import MAX_COST_STEPS, DocumentCosts
from stratabase.core.schema.execution.derived_reads import BATCH
from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.schema.generate import generate_schema
from tests.fakes import ADMINISTRATOR, DictEntities, fake_services
from tests.models import THINGS
from tests.rows import each_row

MODEL = read_model(
    """
    extend schema @application(name: "Company")
    type Team {
      name: String
      headcount: Int @derived(path: "members", aggregate: COUNT)
      loud: String @derived(expression: "upper(name)")
      members: [Person!] @association(opposite: "team")
      rooms: [Room!] @composition(whole: "team")
    }
    type Room { number: Int }
    type Letter @class(versioned: true) { text: String room: Room }
    type Person @class(label: "name + ', ' + team.name") {
      name: String
      photo: File
      greeting: String @derived(expression: "'I am ' + name")
      team_name: String @derived(path: "team.loud")
      team_size: Int @derived(path: "team.headcount")
      colleagues: String @derived(expression: "team.name + ': ' + string(team.headcount)")
      team: Team @association(opposite: "members")
    }
    """,
    "company",
)
SCHEMA = generate_schema(MODEL)
PEOPLE = "Person___getPage"
FRAGMENTS = f"""
    {{ {PEOPLE} {{ ...P }} }}
    fragment P on PersonPage {{ items {{ ...T }} }}
    fragment T on Person {{ team {{ name }} ... {{ team {{ name }} }} }}
"""


def operation_of(text: str, name: str | None = None) -> OperationDefinitionNode:
    operation = get_operation_ast(parse(text), name)
    assert isinstance(operation, OperationDefinitionNode)
    return operation


def judged(
    text: str, variables: Mapping[str, Any], most: int, name: str | None = None
) -> GraphQLError | None:
    document, operation = parse(text), operation_of(text, name)
    costs = DocumentCosts(SCHEMA, document, most)
    first, again = costs.excess(operation, variables), costs.excess(operation, variables)
    assert str(first) == str(again)
    return first


def cost(text: str, name: str | None = None, **variables: Any) -> int:
    """Return the cost of a document, as the refusal under an impossible limit states it."""
    error = judged(text, variables, -1, name)
    assert error
    return int(error.message.split("request is ")[1].split(".")[0].replace(",", ""))


@each_row(
    ("text", "expected"),
    [
        ('{ Person___get(_id: "1") { name photo { name size } } }', 1),
        ('{ Person___get(_id: "1") { team { name } } }', 2),
        ('{ a: Person___get(_id: "1") { name } b: Person___get(_id: "2") { name } }', 2),
        ('{ Person___get(_id: "1") { _lock { mine } } }', 2),
        (f"{{ {PEOPLE} {{ items {{ name _lock {{ lockedBy mine }} }} }} }}", 20),
        ("mutation { lock(locks: []) { locked minutes } }", 10),
        (f"{{ {PEOPLE} {{ items {{ name }} }} }}", 10),
        (f"{{ {PEOPLE} {{ hasNext nextCursor }} }}", 10),
        (f"{{ {PEOPLE}(options: null) {{ items {{ name }} }} }}", 10),
        (f"{{ {PEOPLE}(options: {{next: null, prev: 30}}) {{ items {{ name }} }} }}", 30),
        (f"{{ {PEOPLE}(options: {{next: 50}}) {{ items {{ name }} }} }}", 50),
        (f"{{ {PEOPLE}(options: {{next: 50, offset: 1000}}) {{ items {{ name }} }} }}", 1050),
        (f"{{ {PEOPLE}(options: {{next: 0}}) {{ items {{ team {{ name }} }} }} }}", 0),
        (f"{{ {PEOPLE}(options: {{next: 50}}) {{ totalCount __typename }} }}", 100),
        (f"{{ {PEOPLE}(options: {{next: 50}}) {{ totalCount items {{ name }} }} }}", 150),
        (f"{{ {PEOPLE}(options: {{next: 50}}) {{ items {{ team {{ name }} }} }} }}", 100),
        (f"{{ {PEOPLE}(options: {{next: 50}}) {{ items {{ team {{ members {{ hasNext }} }} }} }} }}", 600),
        ("{ Team___getPage { items { members(options: {next: 20}) { totalCount items { name } } } } }", 310),
        ("{ Team___getPage { items { members { items { team { name } } } } } }", 210),
        ('mutation { Person___delete(_id: "1") { deleted } }', 10),
        ("mutation { Person___create(data: {}) { name team { members { items { name } } } } }", 21),
        (FRAGMENTS, 20),
        ('{ Team___get(_id: "1") { rooms { totalCount } } }', 2),
        ('{ Team___get(_id: "1") { rooms(options: {next: 5}) { totalCount items { number } } } }', 7),
        ('{ Team___get(_id: "1") { rooms(options: {filter: {number___eq: 1}}) { totalCount } } }', 11),
        ('{ Team___get(_id: "1") { members { totalCount } } }', 11),
        (f"{{ {PEOPLE} {{ totalCountUpTo(limit: 5) {{ count }} aggregates {{ _count }} }} }}", 100),
        (f"{{ {PEOPLE} {{ groups(by: [name]) {{ items {{ team {{ countDistinct }} }} }} }} }}", 100),
        ("{ Team___getPage { items { members { groups(by: [name]) { hasNext } } } } }", 110),
        ('{ Team___get(_id: "1") { rooms { aggregates { number { sum } } } } }', 11),
        ("{ Letter___getDeletedPage { items { deletedOn deletedBy } } }", 10),
        ("{ Letter___getDeletedPage(options: {next: 20}) { items { object { room { _id } } } } }", 60),
        ("{ Letter___getDeletedPage { items { deletedOn restorable } } }", 100),
    ],
)
def test_the_cost_of_a_document_is_estimated(text: str, expected: int) -> None:
    assert cost(text) == expected
    assert judged(text, {}, expected) is None


@each_row(
    ("selected", "expected"),
    [
        ("name greeting", 1),
        ("team_name", 2),
        ("team_name again: team_name ... { team_name }", 2),
        ("team_name team { name }", 3),
        ("team_size", 1 + 1 + (1 + 1)),
        ("colleagues", 1 + 1 + (1 + 1)),
        ("team_name team_size greeting", 1 + 1 + (1 + 1)),
        ("team { headcount }", 1 + 1 + (1 + 1)),
        ("_label", 1 + 1),
        ("team { _label }", 1 + 1),
        (
            "team { members(options: {next: 5}) { items { team_name } b: items { team_size team_name } } }",
            1 + 1 + 5 + 1 + (5 + 1),
        ),
    ],
)
def test_derived_attributes_cost_the_batches_they_read(selected: str, expected: int) -> None:
    """To follow a role costs a lookup of links for each object, if it has any, and a batch of targets.

    What is selected twice is computed once, and attributes that follow the same role share its reads.
    """
    assert cost(f'{{ Person___get(_id: "1") {{ {selected} }} }}') == expected


def test_skipped_items_cost_no_derivation() -> None:
    shown = f"{{ {PEOPLE}(options: {{next: 50, offset: 7}}) {{ items {{ team_name }} totalCount }} }}"
    assert cost(shown) == 50 + 7 + 100 + 1
    assert cost('mutation { Person___update(data: {_id: "1"}) { team_name } }') == 10 + 1


@each_row(
    ("text", "variables", "expected"),
    [
        (f'{{ {PEOPLE}(options: {{filter_exp: "true"}}) {{ items {{ name }} }} }}', {}, 14),
        (f'{{ {PEOPLE}(options: {{filter_exp: "true"}}) {{ totalCount }} }}', {}, 104),
        (
            f"query($e: String) {{ {PEOPLE}(options: {{filter_exp: $e}}) {{ hasNext }} }}",
            {"e": "x" * 90},
            100,
        ),
        (f"query($e: String) {{ {PEOPLE}(options: {{filter_exp: $e}}) {{ hasNext }} }}", {"e": 7}, 10),
        (
            f"query($o: PersonPageOptions) {{ {PEOPLE}(options: $o) {{ hasNext }} }}",
            {"o": {"filter_exp": "true", "next": 3}},
            7,
        ),
        (
            '{ Team___getPage { items { members(options: {filter_exp: "true", next: 2}) { hasNext } } } }',
            {},
            10 + 20 + 4,
        ),
    ],
)
def test_a_condition_costs_its_text_once(text: str, variables: Mapping[str, Any], expected: int) -> None:
    assert cost(text, **variables) == expected


@each_row(
    ("filter_", "expected"),
    [
        ('{name___eq: "x", _id___in: ["1"]}', 0),
        ('{greeting___eq: "x"}', 0),
        ('{team: {name___eq: "x"}}', 1),
        ("{team: {}}", 1),
        ("{team___null: true}", 1),
        ('{OR: [{team: {name___eq: "x"}}, {NOT: {team: {name___eq: "y"}}}]}', 1),
        ("{team_size___gt: 3}", 1 + 20 + 2),
        ("{team: {headcount___gt: 3}}", 1 + 20 + 2),
        ('{team: {members___some: {name___eq: "x"}}}', 1 + 20 + 2),
        ('{team: {members___some: {team: {name___eq: "x"}}}}', 1 + 20 + 2 + 2),
        ("{team: {rooms___every: {number___gt: 3}}}", 1 + 2),
    ],
)
def test_a_filter_costs_the_batches_it_reads_along_roles(filter_: str, expected: int) -> None:
    """They are estimated for the objects of the page. A to-many role counts as a page of default size."""
    text = f"{{ {PEOPLE}(options: {{next: 20, filter: {filter_}}}) {{ hasNext }} }}"
    assert cost(text) == 20 + expected


FILTERED = f"query($f: PersonFilter) {{ {PEOPLE}(options: {{filter: $f}}) {{ hasNext }} }}"
PARTLY = f"query($t: TeamFilter) {{ {PEOPLE}(options: {{filter: {{OR: [{{team: $t}}]}}}}) {{ hasNext }} }}"
OPERAND = f"query($n: String) {{ {PEOPLE}(options: {{filter: {{team: {{name___eq: $n}}}}}}) {{ hasNext }} }}"


@each_row(
    ("text", "variables", "expected"),
    [
        (FILTERED, {}, 10),
        (FILTERED, {"f": {"team": {"name___eq": "x"}}}, 11),
        (FILTERED, {"f": {"name___eq": "x"}}, 10),
        (FILTERED, {"f": "nonsense"}, 10),
        (FILTERED, {"f": {"OR": {"team": {"members___some": ["nonsense", {"team": 1}]}}, "x": {}}}, 23),
        (PARTLY, {}, 11),
        (PARTLY, {"t": {"headcount___gt": 3}}, 22),
        (OPERAND, {}, 11),
        (OPERAND, {"n": "x"}, 11),
    ],
)
def test_filters_along_roles_may_come_from_variables(
    text: str, variables: Mapping[str, Any], expected: int
) -> None:
    assert cost(text, **variables) == expected


def test_a_filter_that_costs_most_is_named() -> None:
    text = f"{{ {PEOPLE}(options: {{next: 100, filter: {{team: {{members___some: {{}}}}}}}}) {{ hasNext }} }}"
    error = judged(text, {}, 100)
    assert error
    assert error.message.endswith(
        "Person___getPage alone costs 211. "
        "Request smaller pages, or don't filter by team, which alone costs 111."
    )


@each_row(
    ("variables", "expected"),
    [
        ({}, 5),
        ({"next": 7}, 7),
        ({"next": 7.0}, 7),
        ({"next": None}, 10),
        ({"next": "many"}, 10),
        ({"next": -1}, 0),
        ({"next": True}, 10),
    ],
)
def test_page_sizes_may_come_from_variables(variables: Mapping[str, Any], expected: int) -> None:
    text = f"query($next: Int = 5) {{ {PEOPLE}(options: {{next: $next}}) {{ items {{ name }} }} }}"
    assert cost(text, **variables) == expected


@each_row(
    ("options", "expected"),
    [(None, 10), ({}, 10), ({"prev": 3}, 3), ({"next": 3, "offset": 4}, 7), ("nonsense", 10)],
)
def test_a_variable_may_hold_all_options(options: Any, expected: int) -> None:
    text = f"query($options: PersonPageOptions) {{ {PEOPLE}(options: $options) {{ items {{ name }} }} }}"
    assert cost(text, options=options) == expected


@each_row(("full", "expected"), [(True, 20), (False, 10)])
def test_fields_excluded_by_variables_cost_nothing(full: bool, expected: int) -> None:
    text = f"query($full: Boolean!) {{ {PEOPLE} {{ items {{ name team @include(if: $full) {{ name }} }} }} }}"
    assert cost(text, full=full) == expected


def test_invalid_variables_are_left_to_the_executor() -> None:
    text = f"query($full: Boolean!) {{ {PEOPLE} {{ items {{ team @skip(if: $full) {{ name }} }} }} }}"
    assert judged(text, {}, -1) is None


def test_only_the_requested_operation_counts() -> None:
    text = f"query A {{ {PEOPLE} {{ totalCount }} }} query B {{ {PEOPLE} {{ hasNext }} }}"
    assert (cost(text, "A"), cost(text, "B")) == (100, 10)


def test_a_refusal_shows_the_estimate_the_limit_and_the_largest_cost() -> None:
    text = (
        f"{{ all: {PEOPLE}(options: {{next: 100}}) {{ items {{ t: team {{ members {{ hasNext }} }} }} }} }}"
    )
    error = judged(text, {}, 1199)

    assert error
    assert error.message == (
        "The estimated cost of the request is 1,200. The maximum is 1,199. "
        "Each object read costs 1, each object written costs 10, each batch of reads for derived attributes "
        "and filters on roles costs 1, and each character of filter_exp costs 1. "
        "all.items.t.members alone costs 1,000. "
        "Request smaller pages, without offset or totalCount."
    )
    assert error.locations
    assert judged(text, {}, 1200) is None


def test_a_large_offset_is_refused_with_the_advice_to_use_a_cursor() -> None:
    error = judged(f"{{ {PEOPLE}(options: {{offset: 2000}}) {{ items {{ _id }} totalCount }} }}", {}, 100)
    assert error
    assert error.message.endswith("Use cursor or fromCursor instead of an offset that skips 2,000 objects.")


BULK = "Team___updateBulk(data: {}, options: %s) { items { members { totalCount items { name } } } }"


@each_row(
    ("options", "advice"),
    [
        (
            "{}",
            "all.items.members alone costs 20,000. Specify the number of objects for all in options.next.",
        ),
        ("{next: 999}", "all.items.members alone costs 19,980. Request smaller pages"),
    ],
)
def test_a_bulk_service_is_advised_to_limit_its_objects(options: str, advice: str) -> None:
    error = judged(f"mutation {{ all: {BULK % options} }}", {}, 15_000)
    assert error
    assert advice in error.message


def test_many_single_objects_are_advised_to_be_split_over_requests() -> None:
    text = "{ " + " ".join(f'p{n}: Person___get(_id: "{n}") {{ name }}' for n in range(20)) + " }"
    error = judged(text, {}, 19)
    assert error
    assert error.message.endswith("p0 alone costs 1. Split the request into several requests.")


def test_exponential_fragments_are_refused_quickly() -> None:
    """Spread out, this has 2^14 places at which it leads to objects."""
    people = "members { items { ...P%d } }"
    chain = "".join(
        f"fragment P{n} on Person {{ a: team {{ ...T{n + 1} }} b: team {{ ...T{n + 1} }} }} "
        f"fragment T{n} on Team {{ a: {people % (n + 1)} b: {people % (n + 1)} }} "
        for n in range(14)
    )
    end = "fragment P14 on Person { name } fragment T14 on Team { name }"
    error = judged(f'{{ Person___get(_id: "1") {{ ...P0 }} }} {chain} {end}', {}, 10**9)
    assert error
    assert f"in more than {MAX_COST_STEPS:,} places" in error.message


def test_the_standard_introspection_query_costs_nothing() -> None:
    assert judged(get_introspection_query(), {}, 0) is None


def answered(query: str, variables: Mapping[str, Any], most: int) -> tuple[Any, list[Query]]:
    """Return an executor's response, which must be the same three times, and its calls to the store."""
    services, entities, _ = fake_services(THINGS)
    executor = SchemaExecutor(services, lambda *_: None, ExecutionPolicy(limits=Limits(cost=most)))
    bodies = [executor.execute(query, variables, None, ADMINISTRATOR, "trace1").body for _ in range(3)]
    assert len(set(bodies)) == 1
    return json.loads(bodies[0]), entities.queries


@each_row(("most", "refused"), [(19, True), (20, False)])
def test_a_too_expensive_operation_is_not_executed(most: int, refused: bool) -> None:
    query = "query($n: Int) { Thing___getPage(options: {next: $n}) { items { _id } } }"

    answer, queries = answered(query, {"n": 20}, most)

    assert ("data" in answer, len(queries)) == ((False, 0) if refused else (True, 3))
    if refused:
        (error,) = answer["errors"]
        assert "request is 20. The maximum is 19." in error["message"]
        assert error["extensions"] == {"classification": "ValidationError"}


def test_a_page_of_the_maximum_size_passes_by_default() -> None:
    assert Limits().cost >= 10_000


HOSPITAL = """
extend schema @application(name: "Hospital")
type Patient {
  paid: Int @derived(path: "visits.treatments.price", aggregate: SUM)
  treatments: Int @derived(path: "visits.treatments", aggregate: COUNT)
  doses: Int @derived(path: "visits.treatments.doses.amount", aggregate: SUM)
  visits: [Visit!] @%(role)s
}
type Visit { treatments: [Treatment!] @%(role)s }
type Treatment { price: Int  doses: [Dose!] @%(role)s }
type Dose { amount: Int }
"""
LINKED = read_model(HOSPITAL % {"role": "association"}, "linked")
NESTED = read_model(HOSPITAL % {"role": "composition"}, "nested")
PATIENTS = "{ Patient___getPage(options: {next: %d}) { items { %s } } }"


def executed(model: Model, query: str, cost: int) -> tuple[Any, DictEntities]:
    """Return the answer of an executor with a limit of the cost, and its store."""
    services, entities, _ = fake_services(model)
    executor = SchemaExecutor(services, lambda *_: None, ExecutionPolicy(limits=Limits(cost=cost)))
    return json.loads(executor.execute(query, {}, None, ADMINISTRATOR, "trace1").body), entities


@each_row(
    ("model", "next_", "selected", "expected"),
    [
        (LINKED, 1, "paid", 1 + (1 + 1) + (10 + 1)),
        (LINKED, 1000, "paid", 1000 + (1000 + 100) + (10_000 + 1000)),
        (LINKED, 1000, "paid treatments", 1000 + (1000 + 100) + (10_000 + 1000)),
        (LINKED, 50, "doses", 50 + (50 + 5) + (500 + 50) + (5000 + 500)),
        (NESTED, 1000, "paid", 1000 + 100 + 1000),
        (NESTED, 1000, "paid treatments doses", 1000 + 100 + 1000 + 10_000),
    ],
)
def test_an_aggregate_over_several_roles_costs_its_batches(
    model: Model, next_: int, selected: str, expected: int
) -> None:
    query = PATIENTS % (next_, selected)
    refused, entities = executed(model, query, expected - 1)

    (error,) = refused["errors"]
    assert f"The estimated cost of the request is {expected:,}. " in error["message"]
    assert entities.queries == []
    # By default, what a page of a thousand with two roles costs is far from the limit.
    assert expected < Limits().cost
    assert executed(model, query, expected)[0] == {"data": {"Patient___getPage": {"items": []}}}


@each_row(
    ("model", "next_", "selected", "expected"),
    [
        (LINKED, 1000, "paid doses", 1000 + 1100 + 11_000 + 110_000),
        (LINKED, 10_000, "paid", 10_000 + 11_000 + 110_000),
        (NESTED, 10_000, "doses", 10_000 + 1000 + 10_000 + 100_000),
    ],
)
def test_an_explosive_aggregate_is_refused_before_anything_is_read(
    model: Model, next_: int, selected: str, expected: int
) -> None:
    answer, entities = executed(model, PATIENTS % (next_, selected), Limits().cost)

    (error,) = answer["errors"]
    assert f"The estimated cost of the request is {expected:,}. The maximum is 100,000." in error["message"]
    names = " and ".join(selected.split())
    assert error["message"].endswith(
        f"Request smaller pages, or leave out derived attributes: {names} alone cost {expected - next_:,}."
    )
    assert "data" not in answer
    assert (entities.queries, entities.allowances) == ([], [])


@pytest.mark.parametrize("selected", ["paid", "doses", "paid treatments"])
@pytest.mark.parametrize("model", [LINKED, NESTED], ids=["linked", "nested"])
def test_the_estimate_is_what_is_read_if_each_role_leads_to_ten(
    model: Model, selected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, entities, _ = fake_services(model)
    fill_with_tens(model, entities, patients=3)
    made: list[int] = []
    read, linked = entities.read, entities.linked

    def count_batches(references: Sequence[Reference], budget: ReadBudget | None = None) -> Any:
        made.append(-(-len(references) // BATCH))
        return read(references, budget)

    def count_lookups(role: RoleName, ids: Sequence[str], *more: Any, **options: Any) -> Any:
        made.append(len(ids))
        return linked(role, ids, *more, **options)

    monkeypatch.setattr(entities, "read", count_batches)
    monkeypatch.setattr(entities, "linked", count_lookups)
    executor = SchemaExecutor(services, lambda *_: None)
    query = PATIENTS % (3, selected)
    answer = json.loads(executor.execute(query, {}, None, ADMINISTRATOR, "trace1").body)

    expected = {"paid": 100, "treatments": 100, "doses": 1000}
    items = answer["data"]["Patient___getPage"]["items"]
    assert items == [{name: expected[name] for name in selected.split()}] * 3
    error = DocumentCosts(executor.schema, parse(query), -1).excess(operation_of(query), {})
    assert error
    assert f"is {3 + sum(made):,}." in error.message


def fill_with_tens(model: Model, entities: DictEntities, patients: int) -> None:
    """Store patients with ten objects at each role, whose values are 1."""
    roles = [("Patient", "visits", "Visit"), ("Visit", "treatments", "Treatment")]
    roles.append(("Treatment", "doses", "Dose"))
    objects: dict[str, dict[str, dict[str, Any]]] = {
        "Patient": {f"p{number}": {} for number in range(patients)}
    }
    links = []
    for owner, role, target in roles:
        objects[target] = {}
        for id_, state in objects[owner].items():
            ids = [f"{id_}-{number}" for number in range(10)]
            back = {f"{owner.lower()}_": id_} if model is NESTED else {}
            objects[target] |= {each: {"price": 1, "amount": 1, **back} for each in ids}
            if model is NESTED:
                state[role] = ids
            links += [(owner, role, id_, each) for each in ids if model is LINKED]
    entities.fill(objects, links)


@pytest.mark.parametrize(
    ("options", "filter_"),
    [
        ("{next: $n, offset: $o}", "null"),
        ("{next: $n, offset: $o, filter_exp: $c, filter: {name___eq: $c}}", "null"),
        ("{next: $n, offset: $o, filter: $f}", '{name___eq: "x"}'),
        ("$p", "null"),
    ],
)
def test_sizes_of_earlier_requests_do_not_change_an_estimate(options: str, filter_: str) -> None:
    """Those that were not too large are remembered. Values that Python holds equal are different sizes."""
    text = f"""query($n: Int = 3, $o: Int, $c: String, $p: PersonPageOptions, $f: PersonFilter = {filter_}) {{
        {PEOPLE}(options: {options}) {{
            items {{ team {{ members(options: {{next: $n}}) {{ items {{ _id }} }} }} }}
        }}
    }}"""
    document, chance = parse(text), Random(7)
    costs = DocumentCosts(SCHEMA, document, 100)
    (operation,) = document.definitions
    assert isinstance(operation, OperationDefinitionNode)
    refused = 0
    values: Sequence[Any] = (0, 1, 1.0, True, False, 2, 9, 40, None, "1", -5)
    for _ in range(300):
        variables: dict[str, Any] = {name: chance.choice(values) for name in "noc" if chance.random() < 0.7}
        if chance.random() < 0.5:
            variables["p"] = {"next": chance.choice(values)}
        found = costs.excess(operation, variables)
        expected = DocumentCosts(SCHEMA, document, 100).excess(operation, variables)
        assert str(found) == str(expected), variables
        refused += found is not None
    assert 10 < refused < 290


DEEP = """{ Team___getPage { items { members { items { team { members { items { team { members {
    items { team { members { totalCount } } } } } } } } } } } } }"""


def excess_with(sizes: Mapping[str, int], text: str, most: int) -> GraphQLError | None:
    """Return the error of a document if classes have these sizes."""
    return DocumentCosts(SCHEMA, parse(text), most).excess(operation_of(text), {}, sizes.get)


def test_classes_of_known_sizes_have_no_more_objects_than_these() -> None:
    """Two teams of three people: a page shows as many at most."""
    by_size = 2 + 2 * 3 * 2 + 2 * 3 * 3 * 2 + 2 * 3 * 3 * 3 * 2 + 2 * 3 * 3 * 3 * 3
    assert excess_with({"Team": 2, "Person": 3}, DEEP, by_size) is None
    assert excess_with({"Team": 2, "Person": 3}, DEEP, by_size - 1) is not None
    assert excess_with({"Person": 3}, DEEP, by_size) is not None


@each_row(
    "page",
    [
        "Letter___getDeletedPage(options: {next: 500}) { items { deletedOn } }",
        'Letter___getVersionPage(_id: "1", options: {next: 500}) { items { text } }',
    ],
)
def test_the_number_of_existing_objects_limits_no_page_of_others(page: str) -> None:
    """A class without objects may have many deleted ones, and an object many versions."""
    assert excess_with({"Letter": 1}, f"{{ {page} }}", 500) is None
    assert excess_with({"Letter": 1}, f"{{ {page} }}", 499) is not None


def test_an_empty_class_costs_its_count() -> None:
    page = "{ Team___getPage(options: {next: 500, offset: 90}) { totalCount items { name } } }"
    assert excess_with({"Team": 0}, page, 1) is None
    assert excess_with({"Team": 0}, page, 0) is not None


def test_the_error_tells_the_cost_for_classes_of_any_size() -> None:
    assert str(excess_with({"Team": 50}, DEEP, 10)) == str(excess_with({}, DEEP, 10))


def test_sizes_are_asked_once_and_only_if_they_matter() -> None:
    asked: list[str] = []

    def size_of(name: str) -> int | None:
        asked.append(name)
        return 3

    costs = DocumentCosts(SCHEMA, parse(DEEP), 1_000_000)
    assert costs.excess(operation_of(DEEP), {}, size_of) is None
    assert asked == []
    DocumentCosts(SCHEMA, parse(DEEP), 1).excess(operation_of(DEEP), {}, size_of)
    assert sorted(asked) == ["Person", "Team"]
