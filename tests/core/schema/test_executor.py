"""GraphQL requests through the whole schema package, over in-memory objects."""

import gc
import json
import weakref
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded, StoreOutOfService, Unavailable
from stratabase.core.domain.query.filter import And, Comparison, Not, Or
from stratabase.core.domain.query.order import OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Window
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.graphql_port import QueriesOnly
from stratabase.core.schema.execution.documents import DocumentCache
from stratabase.core.schema.execution.limits import ExecutionPolicy
from stratabase.core.schema.executor import ProfileSchemas
from stratabase.core.schema.generate import generate_schema
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import verbatim
from tests.core.schema.executor_api import ExecutorApi
from tests.fakes import ADMINISTRATOR
from tests.models import THINGS


@pytest.fixture
def api() -> ExecutorApi:
    return ExecutorApi()


@pytest.fixture(autouse=True)
def no_surprises(api: ExecutorApi) -> Any:
    """Assert that the service reported no internal failure."""
    yield
    assert api.reported == []


def test_every_type_is_serialized_by_the_contract(api: ExecutorApi) -> None:
    api.put(
        "1",
        count=3,
        price="1234567.5",
        good=True,
        day="2020-01-31",
        hour="10:30:00.000",
        moment="2020-01-31T23:30:00.000Z",
        vintage=1999,
        colour="RED",
    )

    answer = api.ask('{ Thing___get(_id: "1") { count price good day hour moment vintage colour name } }')

    assert answer["data"]["Thing___get"] == {
        "count": 3,
        "price": "1234567.5",
        "good": True,
        "day": "31/01/2020",
        "hour": "10:30",
        "moment": "31/01/2020 23:30",
        "vintage": 1999,
        "colour": "RED",
        "name": None,
    }


def test_a_format_argument_and_the_formats_of_the_member_are_applied(api: ExecutorApi) -> None:
    api.put("1", moment="2020-01-31T23:30:00.000Z", price="1234567.5")
    roman = Caller(
        "2", "bruno", "Administrator", formats=Formats("d MMMM yyyy", "HH.mm", "Europe/Rome", "it")
    )
    query = '{ Thing___get(_id: "1") { moment iso: moment(format: "yyyy-MM-dd") price(format: "#,##0.00") } }'

    answer = api.ask(query, roman)

    assert answer["data"]["Thing___get"] == {
        "moment": "1 febbraio 2020 00.30",
        "iso": "2020-02-01",
        "price": "1.234.567,50",
    }


def test_an_invalid_format_is_an_issue_of_its_attribute(api: ExecutorApi) -> None:
    api.put("1", moment="2020-01-31T23:30:00.000Z")

    (issue,) = api.refusals('{ Thing___get(_id: "1") { moment(format: "bbb") } }')

    assert (issue["issueType"], issue["attributeNames"]) == ("MALFORMED_REQUEST", ["moment"])


def test_save_creates_without_an_id_and_updates_with_one(api: ExecutorApi) -> None:
    query = "mutation($data: ThingDraft!) { Thing___save(data: $data) { _id name count } }"

    created = api.ask(query, data={"name": "chair"})["data"]["Thing___save"]
    changed = api.ask(query, data={"_id": created["_id"], "count": 2})["data"]["Thing___save"]

    assert changed == {"_id": created["_id"], "name": "chair", "count": 2}


def test_delete_returns_whether_the_object_existed(api: ExecutorApi) -> None:
    api.put("1", name="chair")
    query = 'mutation { Thing___delete(_id: "1") { deleted } }'

    assert api.ask(query) == {"data": {"Thing___delete": {"deleted": True}}}
    assert api.ask(query) == {"data": {"Thing___delete": {"deleted": False}}}


def test_a_refused_mutation_does_not_stop_the_next(api: ExecutorApi) -> None:
    query = """mutation {
      bad: Thing___create(data: {name: "far too long a name"}) { _id }
      good: Thing___create(data: {name: "chair"}) { name }
    }"""

    answer = api.ask(query)

    assert answer["data"] == {"bad": None, "good": {"name": "chair"}}
    assert len(answer["errors"]) == 1


def test_page_options_become_a_query(api: ExecutorApi) -> None:
    query = api.query(
        '{filter: {name___starts_with: "c", OR: [{count___gt: 1}, {NOT: {day___eq: "31/01/2020"}}]},'
        " orderBy: [price___DESC, name___ASC], next: 3, offset: 2}"
    )

    assert query.class_name == "Thing"
    assert query.filter == And(
        (
            Or((Comparison("count", Operator.GT, 1), Not(Comparison("day", Operator.EQ, "2020-01-31")))),
            Comparison("name", Operator.STARTS_WITH, "c"),
        )
    )
    assert query.order.terms == (OrderTerm("price", descending=True), OrderTerm("name"), OrderTerm("_id"))
    assert query.window == Window(size=3, offset=2)
    assert query.fields == PageFields(False, True, version_start=False, attributes=frozenset())


@pytest.mark.parametrize("options", ["{}", "{next: null, orderBy: null, filter: null}"])
def test_without_options_a_page_has_ten_objects_by_id(api: ExecutorApi, options: str) -> None:
    query = api.query(options)

    assert (query.filter, query.window, query.order.terms) == (None, Window(size=10), (OrderTerm("_id"),))


def test_a_page_before_a_position_is_read_backward(api: ExecutorApi) -> None:
    query = api.query('{orderBy: [count___ASC], fromCursor: {count: 3, _id: "x"}, prev: 5}')

    assert (query.window.backward, query.window.size, query.window.inclusive) == (True, 5, True)
    assert query.window.start.values == (3, "x")


def test_nulls_can_be_compared_and_listed(api: ExecutorApi) -> None:
    query = api.query("{filter: {count___eq: null, day___in: [null], name___null: false}}")

    assert query.filter == And(
        (
            Comparison("name", Operator.NULL, operand=False),
            Comparison("count", Operator.EQ, None),
            Comparison("day", Operator.IN, (None,)),
        )
    )


@pytest.mark.parametrize(("levels", "refused"), [(98, False), (99, True)])
@pytest.mark.parametrize("many", [False, True])
def test_filters_nest_a_hundred_levels_deep_with_the_options(
    api: ExecutorApi, levels: int, *, refused: bool, many: bool
) -> None:
    """A place in a list is not a level of its own."""
    nested: dict[str, Any] = {}
    for _ in range(levels):
        nested = {"AND": [nested]} if many else {"NOT": nested}
    query = "query ($filter: ThingFilter) { Thing___getPage(options: {filter: $filter}) { totalCount } }"

    issues = api.ask(query, filter=nested).get("errors", [])

    assert ["nested too deeply" in issue["message"] for issue in issues] == [True] * refused


def test_a_cursor_is_valid_only_in_its_own_order(api: ExecutorApi) -> None:
    api.put("1", name="a")
    page = "{ Thing___getPage(options: {orderBy: [name___ASC]%s}) { nextCursor prevCursor items { _id } } }"
    cursor = api.ask(page % "")["data"]["Thing___getPage"]["nextCursor"]

    api.ask(page % f', cursor: "{cursor}"')
    (refused,) = api.refusals(f'{{ Thing___getPage(options: {{cursor: "{cursor}"}}) {{ totalCount }} }}')

    assert api.entities.queries[-1].window == Window(start=Position(("a", "1")))
    assert refused["issueType"] == "MALFORMED_REQUEST"


@pytest.mark.parametrize(
    ("selection", "wanted"),
    [
        ("items { _id }", PageFields()),
        (
            "...F } } fragment F on ThingPage { t: totalCount ... { hasNext",
            PageFields(False, True, True, False),
        ),
        (
            "hasPrev hasNext @skip(if: true) totalCount @include(if: false)",
            PageFields(False, False, False, True),
        ),
        ("nextCursor", PageFields()),
    ],
)
def test_only_selected_page_fields_are_computed(api: ExecutorApi, selection: str, wanted: PageFields) -> None:
    api.ask(f"{{ Thing___getPage {{ {selection} }} }}")

    (query,) = api.entities.queries
    assert query.fields == replace(wanted, version_start=False, attributes=frozenset())


@pytest.mark.parametrize(
    ("query", "classification"),
    [
        ("{ Thing___get", "InvalidSyntax"),
        ("{ nothing }", "ValidationError"),
        ("query A { __typename } query B { __typename }", "ValidationError"),
        ("query($id: ID!) { Thing___get(_id: $id) { _id } }", "ValidationError"),
    ],
)
def test_an_invalid_request_is_refused_with_its_classification(
    api: ExecutorApi, query: str, classification: str
) -> None:
    answer = api.answer(query)

    assert answer.began is False
    body = json.loads(answer.body)
    assert "data" not in body
    assert body["errors"][0]["extensions"] == {"classification": classification}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            f"{{ Thing___getPage {{ items {{ {'_id ' * 30_000} }} }} }}",
            "120,034 characters. The maximum is 65,536",
        ),
        (f"{{ Thing___getPage {{ items {{ {'_id ' * 10_000} }} }} }}", "into several requests"),
        (
            f"{{ Thing___getPage(options: {{next: {'9' * 5000}}}) {{ totalCount }} }}",
            "value of type 'Int'. The value",
        ),
    ],
    ids=["too long", "too involved", "a number without end"],
)
def test_an_extremely_large_document_is_refused_with_a_clear_message(
    api: ExecutorApi, query: str, said: str
) -> None:
    (error,) = api.ask(query)["errors"]

    assert said in error["message"]
    assert "sys." not in error["message"]
    assert error["extensions"] == {"classification": "ValidationError"}


def test_the_document_cache_is_bounded_by_length() -> None:
    """Clients that write values into their queries, where no two are alike, must not fill the memory."""
    schema = generate_schema(THINGS)
    documents, seen = DocumentCache(schema, ExecutionPolicy()), ProfileSchemas(THINGS, schema).of(None)
    texts = [
        f'{{ a{number}: Thing___get(_id: "1") {{ {"_id " * 40} {" " * 9000} }} }}' for number in range(50)
    ]
    for as_template in (True, False):
        first = [documents.read(text, seen, as_template=as_template).document for text in texts]

        assert documents.read(texts[-1], seen, as_template=as_template).document is first[-1]
        assert documents.read(texts[0], seen, as_template=as_template).document is not first[0]


def test_the_document_cache_counts_the_variables_that_stand_for_literals() -> None:
    schema = generate_schema(THINGS)
    documents, seen = DocumentCache(schema, ExecutionPolicy()), ProfileSchemas(THINGS, schema).of(None)
    ones = ",".join("1" * 4000)
    texts = [
        f"{{ a{number}: Thing___getPage(options: {{filter: {{count___in: [{ones}]}}}}) {{ totalCount }} }}"
        for number in range(9)
    ]
    first = [documents.read(text, seen).document for text in texts]

    assert documents.read(texts[-1], seen).document is first[-1]
    assert documents.read(texts[0], seen).document is not first[0]


class _Value(str):
    """A text that can be referred to weakly."""

    __slots__ = ("__weakref__",)


@pytest.mark.parametrize(
    "query",
    [
        "{ Thing___getPage( ",
        "{ nothing }",
        '{ Thing___getPage(options: {next: "x"}) { totalCount } }',
        "{ Thing___getPage(options: {next: 9000000000}) { totalCount } }",
        "{ Thing___getPage(options: {next: 1000, offset: 9000000}) { items { _id } } }",
    ],
    ids=["syntax", "a field", "a literal", "a value out of range", "the cost"],
)
def test_a_document_that_is_kept_does_not_keep_the_request(api: ExecutorApi, query: str) -> None:
    """The traceback of an exception refers to the frames of all callers, with their variables."""
    value = _Value("x" * 1000)
    assert "errors" in api.ask(query, value=value)

    alive = weakref.ref(value)
    del value
    gc.collect()
    assert alive() is None


def test_invalid_documents_do_not_displace_valid_ones() -> None:
    schema = generate_schema(THINGS)
    documents, seen = DocumentCache(schema, ExecutionPolicy()), ProfileSchemas(THINGS, schema).of(None)
    valid = documents.read("{ Thing___getPage { totalCount } }", seen).document
    first, *_ = [
        documents.read(f"{{ nothing{number} {' ' * 9000} }}", seen).document for number in range(300)
    ]

    assert documents.read("{ Thing___getPage { totalCount } }", seen).document is valid
    assert documents.read(f"{{ nothing0 {' ' * 9000} }}", seen).document is not first


def test_at_most_nine_errors_of_a_document_are_reported(api: ExecutorApi) -> None:
    body = json.loads(api.answer("{ " + " ".join(f"no{number}" for number in range(20)) + " }").body)

    assert len(body["errors"]) == 9


def test_suggestions_and_introspection_can_be_disabled() -> None:
    api = ExecutorApi(introspection=False, suggestions=False)

    assert "Did you mean" in ExecutorApi().ask("{ Thing___gat }")["errors"][0]["message"]
    assert "Did you mean" not in api.ask("{ Thing___gat }")["errors"][0]["message"]
    assert "__schema" in api.ask("{ __schema { types { name } } }")["errors"][0]["message"]
    assert api.ask("{ __typename }") == {"data": {"__typename": "Query"}}


def test_a_mutation_is_refused_if_only_queries_are_allowed(api: ExecutorApi) -> None:
    query = 'mutation { Thing___create(data: {name: "chair"}) { _id } }'

    with pytest.raises(QueriesOnly):
        api.executor.execute(query, {}, None, ADMINISTRATOR, "t", queries_only=True)
    assert api.entities.commits == []


def test_an_internal_failure_is_logged_with_its_stack_and_returned_without_details(api: ExecutorApi) -> None:
    fault = RuntimeError("secret detail")
    api.entities.refuse = fault

    answer = api.ask('mutation { Thing___create(data: {name: "chair"}) { _id } }')

    (error,) = answer["errors"]
    assert error["extensions"]["issueType"] == "SERVER_ERROR"
    assert "trace1" in error["message"]
    assert "secret" not in json.dumps(answer)
    assert api.reported == [(fault, "trace1")]
    api.reported.clear()


def test_a_page_beyond_the_read_budget_names_the_missing_index(
    api: ExecutorApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def page(*_: object) -> None:
        raise ReadBudgetExceeded("Thing", 20_000, Hint(("name",), costly=("totalCount",)))

    monkeypatch.setattr(api.entities, "page", page)

    (issue,) = api.refusals("{ Thing___getPage { totalCount } }")

    assert (issue["issueType"], issue["entityName"]) == ("MALFORMED_REQUEST", "Thing")
    assert issue["attributeNames"] == ["name"]
    assert '@index(attributes: ["name"])' in issue["userMessage"]
    assert "totalCount" in issue["userMessage"]


def test_each_request_has_one_read_budget_for_all_its_reads(api: ExecutorApi) -> None:
    page = "Thing___getPage { totalCount }"
    query = f'{{ one: Thing___get(_id: "1") {{ name }} all: {page} {page} }}'
    for compiled in (False, True):
        api.entities.allowances.clear()
        api.ask(query)
        first, *others = api.entities.allowances
        assert len(others) == 2, compiled
        assert all(other is first for other in others)
        api.ask(query)
        assert api.entities.allowances[3] is not first


def test_a_read_after_the_timeout_names_no_option(api: ExecutorApi, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise ReadBudgetExceeded("Thing")

    monkeypatch.setattr(api.entities, "read", read)

    (issue,) = api.refusals('{ mine: Thing___get(_id: "1") { name } }')

    assert issue["sourceRequestReference"] == "mine"
    assert "Request less data in each request." in issue["userMessage"]


def test_an_unavailable_store_propagates_if_nothing_was_executed(api: ExecutorApi) -> None:
    api.entities.refuse = Unavailable(verbatim("busy"))

    with pytest.raises(Unavailable):
        api.answer('mutation { Thing___create(data: {name: "chair"}) { _id } }')


def test_an_unavailable_store_does_not_hide_earlier_results(api: ExecutorApi) -> None:
    api.put("1", name="chair")
    query = """mutation {
      done: Thing___update(data: {_id: "1"}) { name }
      busy: Thing___create(data: {name: "chair"}) { _id }
    }"""
    api.entities.refuse = Unavailable(verbatim("busy"))

    answer = api.ask(query)

    assert answer["data"] == {"done": {"name": "chair"}, "busy": None}
    assert answer["errors"][0]["extensions"]["issueType"] == "SERVER_ERROR"
    assert api.reported == []


def test_a_damaged_store_beside_earlier_results_is_reported_to_the_operator(api: ExecutorApi) -> None:
    api.put("1", name="chair")
    api.entities.refuse = StoreOutOfService("/srv/objects.db is damaged")

    answer = api.ask(
        """mutation {
          done: Thing___update(data: {_id: "1"}) { name }
          broken: Thing___create(data: {name: "chair"}) { _id }
        }"""
    )

    assert answer["data"] == {"done": {"name": "chair"}, "broken": None}
    assert answer["errors"][0]["message"] == "The store is temporarily unavailable. Try again later."
    assert [str(error) for error, _trace in api.reported] == ["/srv/objects.db is damaged"]
    api.reported.clear()


@pytest.mark.parametrize(
    ("trouble", "message", "is_reported"),
    [
        (ValueError("a fault"), "An internal error occurred.", True),
        (StoreOutOfService("/srv/objects.db is damaged"), "The store is temporarily unavailable.", True),
        (Unavailable(verbatim("busy")), "busy", False),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_a_bulk_service_has_done_before_a_fault_is_in_its_answer(
    api: ExecutorApi, trouble: Exception, message: str, is_reported: bool
) -> None:
    for number in range(3):
        api.put(str(number), name="chair")

    def fail_at_the_second() -> None:
        if len(api.entities.commits) == 1:
            raise trouble

    api.entities.before_commit = fail_at_the_second
    answer = api.ask(
        """mutation { Thing___updateBulk(data: {name: "table"}, options: {filter: {name___eq: "chair"}}) {
          totalCount items { name }
        } }"""
    )

    assert answer["data"] == {"Thing___updateBulk": {"totalCount": 1, "items": [{"name": "table"}]}}
    told, fault = answer["errors"]
    assert told["message"] == "1 of 3 Thing objects were updated."
    assert fault["message"].startswith(message)
    assert fault["extensions"]["issueType"] == "SERVER_ERROR"
    assert [error for error, _trace in api.reported] == [trouble] * is_reported
    api.reported.clear()


def test_the_answer_to_a_mutation_is_marked_as_mutated() -> None:
    """However often it is asked, and refused too; but not when it never began."""
    api = ExecutorApi()
    create = 'mutation { Thing___create(data: {name: "a"}) { _id } }'
    wrong = 'mutation { Thing___update(data: {_id: "none", name: "a"}) { _id } }'

    assert [api.answer(create).mutated for _ in range(3)] == [True] * 3
    assert api.answer(wrong).mutated
    assert not api.answer("{ Thing___getPage { totalCount } }").mutated
    assert not api.answer("mutation { nothing }").mutated
