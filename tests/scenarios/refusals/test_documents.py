"""Invalid documents and variables are refused with location and classification, before execution."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from tests.scenarios.refusals.needs import nested
from tests.scenarios.refusals.service_client import ADDRESS, ServiceClient
from tests.service import PASSWORD, basic

MODERN, LEGACY = "application/graphql-response+json", "application/json"
SYNTAX, VALIDATION = "InvalidSyntax", "ValidationError"


class Mistake(NamedTuple):
    """The beginning of the expected message, and its position in line 1 of the document."""

    begins: str
    columns: tuple[int, ...]


class Document(NamedTuple):
    """A document that the service refuses."""

    says: str
    query: str
    mistakes: Sequence[Mistake]
    variables: Any = None
    operation: str | None = None
    classification: str = VALIDATION


def broken(says: str, query: str, message: str, column: int) -> Document:
    return Document(says, query, [Mistake(f"Syntax Error: {message}", (column,))], classification=SYNTAX)


def wrong(says: str, query: str, begins: str, *columns: int) -> Document:
    return Document(says, query, [Mistake(begins, columns)])


PAGE = "query($o: PersonPageOptions!) { Person___getPage(options: $o) { totalCount } }"
CREATE = "mutation($d: SheetCreate!) { Sheet___create(data: $d) { _id } }"
UPDATE = "mutation($d: SheetUpdate!) { Sheet___update(data: $d) { _id } }"
UPDATE_PERSON = "mutation($d: PersonUpdate!) { Person___update(data: $d) { _id } }"
PERSON = "mutation($d: PersonCreate!) { Person___create(data: $d) { _id } }"


def options(says: str, value: Any, *messages: str) -> Document:
    mistakes = [Mistake(f"Variable '$o' has invalid value{message}", (7,)) for message in messages]
    return Document(says, PAGE, mistakes, value)


def sheet(says: str, value: Any, *messages: str, query: str = CREATE) -> Document:
    mistakes = [Mistake(f"Variable '$d' has invalid value{message}", (10,)) for message in messages]
    return Document(says, query, mistakes, {"d": value})


def no_service(query: str, name: str, column: int = 12) -> Document:
    type_ = "Mutation" if query.startswith("mutation") else "Query"
    return wrong(f"{name} does not exist", query, f"Cannot query field '{name}' on type '{type_}'.", column)


NEW = {"title": "new"}
DOCUMENTS = [
    broken("nothing", "", "Unexpected <EOF>.", 1),
    broken("half a document", '{ Team___get(_id: "1") { name }', "Expected Name, found <EOF>.", 32),
    broken(
        "half of a surrogate pair", '{ Team___get(_id: "\\uD800") { name } }', "Invalid Unicode escape", 20
    ),
    wrong("an unknown class", '{ Nothing___get(_id: "1") { _id } }', "Cannot query field 'Nothing___get'", 3),
    wrong(
        "an unknown field",
        '{ Team___get(_id: "1") { naem } }',
        "Cannot query field 'naem' on type 'Team'. Did you mean 'name'?",
        26,
    ),
    wrong(
        "no selection",
        '{ Team___get(_id: "1") }',
        "Field 'Team___get' of type 'Team' must have a selection",
        3,
    ),
    wrong(
        "a missing argument",
        "{ Team___get { name } }",
        "Argument 'Query.Team___get(_id:)' of type 'ID!' is required",
        3,
    ),
    wrong("an unknown argument", '{ House___get(_id: "1") { name } }', "Unknown argument '_id'", 15),
    wrong(
        "an unknown enum value",
        "{ Person___getPage(options: {filter: {mood___eq: GREAT}}) { totalCount } }",
        "Value 'GREAT' does not exist in 'Mood' enum. Use GOOD or BAD.",
        50,
    ),
    wrong(
        "an unknown order",
        "{ Person___getPage(options: {orderBy: [lastname___ASC]}) { totalCount } }",
        "Value 'lastname___ASC' does not exist in 'PersonSort' enum. Did you mean",
        40,
    ),
    wrong(
        "an unknown filter",
        "{ Person___getPage(options: {filter: {height___contains: 1}}) { totalCount } }",
        "Expected value of type 'PersonFilter' not to include unknown field 'height___contains'.",
        39,
    ),
    wrong(
        "a filter on a role",
        '{ Person___getPage(options: {filter: {team___eq: "1"}}) { totalCount } }',
        "Expected value of type 'PersonFilter' not to include unknown field 'team___eq'",
        39,
    ),
    wrong(
        "a literal of the wrong type",
        "mutation { Sheet___create(data: {title: new}) { _id } }",
        "String cannot represent a non string value: new",
        41,
    ),
    wrong(
        "a literal that is no text",
        'mutation { Sheet___create(data: {title: "new", day: soon}) { _id } }',
        "This literal is not a valid Date. Use a string or a number.",
        53,
    ),
    wrong(
        "a number of 5,000 digits",
        f"{{ Team___getPage(options: {{next: {'9' * 5000}}}) {{ totalCount }} }}",
        "Expected value of type 'Int'. The value can't be read.",
        34,
    ),
    wrong(
        "a variable of the wrong type",
        "query($o: TeamPageOptions) { Person___getPage(options: $o) { totalCount } }",
        "Variable '$o' of type 'TeamPageOptions' used in position expecting",
        7,
        56,
    ),
    wrong("an unknown fragment", "{ ...F }", "Unknown fragment 'F'.", 6),
    wrong(
        "a directive without its argument",
        "{ __typename @skip }",
        "Argument '@skip(if:)' of type 'Boolean!' is required",
        14,
    ),
    wrong("a subscription", "subscription { x }", "The subscription operation is not supported", 1),
    wrong(
        "two operations, and none named",
        "query A { __typename } query B { __typename }",
        "Must provide operation name",
    ),
    Document(
        "an operation that is not there",
        "query A { __typename }",
        [Mistake("Unknown operation named 'C'.", ())],
        operation="C",
    ),
    options(
        "a missing variable", {}, ": Expected a value of non-null type 'PersonPageOptions!' to be provided."
    ),
    options(
        "null for a variable",
        {"o": None},
        ": Expected value of non-null type 'PersonPageOptions!' not to be null.",
    ),
    options(
        "an enum value in a variable",
        {"o": {"filter": {"mood___in": ["GOOD", "GREAT"]}}},
        " at .filter.mood___in[1]: Value 'GREAT' does not exist in 'Mood' enum.",
    ),
    options(
        "an order in a variable",
        {"o": {"orderBy": ["x"]}},
        " at .orderBy[0]: Value 'x' does not exist in 'PersonSort' enum.",
    ),
    options(
        "a number of 40 bits",
        {"o": {"next": 2**40}},
        " at .next: Int cannot represent non 32-bit signed integer value: 1099511627776",
    ),
    options(
        "a number of 301 digits",
        {"o": {"next": 10**300}},
        " at .next: Int cannot represent non 32-bit signed integer value: 1000",
    ),
    options(
        "a number as text", {"o": {"next": "1"}}, ' at .next: Int cannot represent non-integer value: "1"'
    ),
    sheet(
        "a required value that is not given",
        {},
        ": Expected value of type 'SheetCreate' to include required field 'title'",
    ),
    sheet(
        "null for a required value",
        {"title": None},
        " at .title: Expected value of non-null type 'String!' not to be null.",
    ),
    sheet(
        "an enum value",
        {**NEW, "mood": "GREAT"},
        " at .mood: Value 'GREAT' does not exist in 'Mood' enum. Use GOOD or BAD.",
    ),
    sheet(
        "wrong types, each told",
        {"title": 7, "remote": "yes", "height": "x", "hight": 1},
        " at .title: String cannot represent a non string value: 7",
        ' at .height: Int cannot represent non-integer value: "x"',
        ' at .remote: Boolean cannot represent a non boolean value: "yes"',
        ": Expected value of type 'SheetCreate' not to include unknown field 'hight'. Did you mean",
    ),
    sheet(
        "a number that the service gives",
        {**NEW, "number": 1},
        ": Expected value of type 'SheetCreate' not to include unknown field 'number'",
    ),
    sheet(
        "an id for a new object",
        {**NEW, "_id": "x"},
        ": Expected value of type 'SheetCreate' not to include unknown field '_id'",
    ),
    sheet(
        "a list for a date",
        {**NEW, "day": ["2020-01-01"]},
        " at .day: A list or an object is not a valid Date",
    ),
    sheet("a text for an object", "new", ": Expected value of type 'SheetCreate' to be an object"),
    sheet(
        "ids for a change of a role",
        {"_id": "1", "skills": ["2"]},
        " at .skills: Expected value of type 'SkillRoleRefs' to be an object, found: [\"2\"]. "
        "Use an object with add, remove, or removeAll.",
        query=UPDATE_PERSON,
    ),
    sheet(
        "an object for an id",
        {"_id": "1", "skills": {"add": [{"name": "y"}]}},
        ' at .skills.add[0]: ID cannot represent value: {"name": "y"}. Use the _id of an object that exists.',
        query=UPDATE_PERSON,
    ),
    wrong(
        "an id for a change of a role, in the document",
        'mutation { Person___update(data: {_id: "1", team: "2"}) { _id } }',
        "Expected value of type 'TeamRoleRef' to be an object, found: \"2\". "
        "Use an object with set or remove.",
        51,
    ),
    wrong(
        "an object for an id, in the document",
        'mutation { Person___update(data: {_id: "1", skills: {add: ["3", {name: "y"}]}}) { _id } }',
        "Invalid value at .skills.add[1]: ID cannot represent a non-string and non-integer value: "
        '{ name: "y" }. Use the _id of an object that exists.',
        65,
    ),
    wrong(
        "an object for the id itself",
        "mutation { Team___delete(_id: {name: 1}) { deleted } }",
        "ID cannot represent a non-string and non-integer value: { name: 1 }. Use the _id",
        31,
    ),
    sheet(
        "no id of an object",
        NEW,
        ": Expected value of type 'SheetUpdate' to include required field '_id'",
        query=UPDATE,
    ),
    sheet(
        "null for the id of an object",
        {"_id": None},
        " at ._id: Expected value of non-null type 'ID!' not to be null.",
        query=UPDATE,
    ),
    sheet(
        "what a person needs",
        {"last_name": "x", "team": None, "skills": None},
        ": Expected value of type 'PersonCreate' to include required field 'contract'",
        " at .team: Expected value of non-null type 'ID!' not to be null.",
        " at .skills: Expected value of non-null type '[ID]!' not to be null.",
        query=PERSON,
    ),
    no_service("{ Team___getAll { _id } }", "Team___getAll", 3),
    no_service('{ Team___delete(_id: "1") { deleted } }', "Team___delete", 3),
    no_service('mutation { Team___get(_id: "1") { name } }', "Team___get"),
    no_service("mutation { Team___createBulk(data: []) { _id } }", "Team___createBulk"),
    no_service("mutation { Contract___create(data: {}) { _id } }", "Contract___create"),
    no_service("mutation { Contract___update(data: {}) { _id } }", "Contract___update"),
    no_service("{ Contract___validate(data: {}) { isValid } }", "Contract___validate", 3),
    no_service('{ Phone___get(_id: "1") { digits } }', "Phone___get", 3),
    no_service("{ Phone___getPage { totalCount } }", "Phone___getPage", 3),
    no_service("{ House___getPage { totalCount } }", "House___getPage", 3),
    no_service("mutation { House___create(data: {}) { _id } }", "House___create"),
    no_service("mutation { House___save(data: {}) { _id } }", "House___save"),
    no_service('mutation { House___delete(_id: "1") { deleted } }', "House___delete"),
    no_service("{ Complaint___getPage { totalCount } }", "Complaint___getPage", 3),
    no_service("{ Complaint___validate(data: {}) { isValid } }", "Complaint___validate", 3),
    no_service("mutation { Complaint___save(data: {}) { _id } }", "Complaint___save"),
    no_service('{ Colour___get(_id: "1") { name } }', "Colour___get", 3),
    no_service("{ Vault___get { secret } }", "Vault___get", 3),
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.says)
def test_an_invalid_document_is_not_executed(client: ServiceClient, document: Document) -> None:
    """The status says so only to clients that know the type of the answer."""
    before = client.store.rows()
    asked = {"query": document.query, "variables": document.variables, "operationName": document.operation}
    for accept, status in ((LEGACY, 200), (MODERN, 400)):
        reply = client.send(asked, accept=accept)

        assert (reply.status, reply.headers["content-type"]) == (status, f"{accept}; charset=utf-8")
        assert list(reply.json()) == ["errors"]
        result = sorted(reply.json()["errors"], key=lambda each: str(each["message"]))
        expected = sorted(document.mistakes)
        begin = [
            each["message"][: len(mistake.begins)] for each, mistake in zip(result, expected, strict=True)
        ]
        assert begin == [mistake.begins for mistake in expected]
        beside = [_told(mistake, document.classification) for mistake in expected]
        assert [_beside_message(each) for each in result] == beside
    assert client.store.rows() == before


def _beside_message(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "message"}


def _told(mistake: Mistake, classification: str) -> dict[str, Any]:
    places = [{"line": 1, "column": column} for column in mistake.columns]
    return {
        **({"locations": places} if places else {}),
        "extensions": {"classification": classification},
    }


DEEP = 400
NESTED = {
    "a selection": ("{ a" * DEEP + " }" * DEEP, None),
    "fragments within one another": ("{ ... " * DEEP + "{ __typename }" + " }" * DEEP, None),
    "a literal": (f"{{ Person___getPage(options: {'[' * DEEP}{']' * DEEP}) {{ totalCount }} }}", None),
    "a type": (f"query($x: {'[' * DEEP}Int{']' * DEEP}) {{ __typename }}", None),
    "a variable": (PAGE, {"o": {"filter": nested(DEEP)}}),
}


@pytest.mark.parametrize("what", NESTED)
def test_a_too_deeply_nested_document_is_reported(client: ServiceClient, what: str) -> None:
    query, variables = NESTED[what]

    (result,) = client.send({"query": query, "variables": variables}).json()["errors"]

    assert "nested too deeply" in result["message"]
    assert result["extensions"] == {"classification": VALIDATION if variables else SYNTAX}


def test_at_most_nine_errors_are_reported(client: ServiceClient) -> None:
    query = "{ " + " ".join(f"wrong{number}" for number in range(20)) + " }"

    body = client.send({"query": query}).json()

    assert len(body["errors"]) == 9


def test_the_same_mistake_in_many_elements_of_a_variable_is_one_error(client: ServiceClient) -> None:
    def messages(phones: list[Any]) -> list[str]:
        data = {"last_name": "x", "team": "1", "skills": [], "contract": {"starts_on": "1/1/2020"}}
        body = client.send({"query": PERSON, "variables": {"d": {**data, "phones": phones}}}).json()
        assert {error["extensions"]["classification"] for error in body["errors"]} == {VALIDATION}
        assert all(error["locations"] for error in body["errors"])
        return [error["message"] for error in body["errors"]]

    (merged,) = messages([{}] * 30)
    assert merged == (
        "Variable '$d' has invalid value at .phones[0]: Expected value of type 'PhoneCreate' "
        "to include required field 'digits', found: {}. This applies to 30 places in the request, such as "
        "$d.phones[0], $d.phones[1], $d.phones[2], $d.phones[3], and $d.phones[4]."
    )
    assert len(messages([{}] * 3)) == 3
    assert len(messages([{"digits": number} for number in range(30)])) == 9


def test_a_refused_mutation_does_not_undo_the_others(client: ServiceClient) -> None:
    """Each field is a separate write, in order."""
    query = """mutation {
      first: Skill___create(data: {name: "first"}) { _id }
      second: Skill___create(data: {name: "much too long"}) { _id }
      third: Skill___create(data: {name: "third"}) { _id }
    }"""

    body = client.answer(query).body

    assert [name for name, created in body["data"].items() if created] == ["first", "third"]
    (result,) = body["errors"]
    assert (result["path"], result["locations"]) == (["second"], [{"line": 3, "column": 7}])
    assert result["extensions"]["sourceRequestReference"] == "second.data.name"
    for created in filter(None, body["data"].values()):
        end = f'mutation {{ Skill___delete(_id: "{created["_id"]}") {{ deleted }} }}'
        assert client.ask(end) == {"deleted": True}


@pytest.mark.parametrize("escaped", ["\\ud800", "\\udc00\\ud800", "a\\ud83d"])
def test_a_lone_surrogate_is_invalid_json(client: ServiceClient, escaped: str) -> None:
    """Neither in a document nor in a variable."""
    query = "query($id: ID!) { Team___get(_id: $id) { name } }"
    sent = f'{{"query": "{query}", "variables": {{"id": "{escaped}"}}}}'
    headers = {"Content-Type": LEGACY, "Authorization": basic("admin", PASSWORD)}

    reply = client.service.request("POST", ADDRESS, headers=headers, body=sent)

    assert (reply.status, reply.headers["content-type"]) == (400, "application/problem+json")
    assert "is not valid JSON" in reply.json()["detail"]
