"""Invalid documents and variables are refused with location and classification, before execution."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.rows import each_row
from tests.scenarios.refusals.needs import nested
from tests.scenarios.refusals.service_client import ServiceClient

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
UPDATE_PERSON = "mutation($d: PersonUpdate!) { Person___update(data: $d) { _id } }"
PERSON = "mutation($d: PersonCreate!) { Person___create(data: $d) { _id } }"


def options(says: str, value: Any, *messages: str) -> Document:
    mistakes = [Mistake(f"Variable '$o' has invalid value{message}", (7,)) for message in messages]
    return Document(says, PAGE, mistakes, value)


def sheet(says: str, value: Any, *messages: str, query: str = CREATE) -> Document:
    mistakes = [Mistake(f"Variable '$d' has invalid value{message}", (10,)) for message in messages]
    return Document(says, query, mistakes, {"d": value})


NEW = {"title": "new"}
DOCUMENTS = [
    broken("nothing", "", "Unexpected <EOF>.", 1),
    wrong("an unknown class", '{ Nothing___get(_id: "1") { _id } }', "Cannot query field 'Nothing___get'", 3),
    wrong(
        "an unknown field",
        '{ Team___get(_id: "1") { naem } }',
        "Cannot query field 'naem' on type 'Team'. Did you mean 'name'?",
        26,
    ),
    wrong(
        "a missing argument",
        "{ Team___get { name } }",
        "Argument 'Query.Team___get(_id:)' of type 'ID!' is required",
        3,
    ),
    wrong(
        "an unknown enum value",
        "{ Person___getPage(options: {filter: {mood___eq: GREAT}}) { totalCount } }",
        "Value 'GREAT' does not exist in 'Mood' enum. Use GOOD or BAD.",
        50,
    ),
    wrong(
        "a literal that is not text",
        'mutation { Sheet___create(data: {title: "new", day: soon}) { _id } }',
        "This literal is not a valid Date. Use a string or a number.",
        53,
    ),
    wrong("a subscription", "subscription { x }", "The subscription operation is not supported", 1),
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
        "a number of 301 digits",
        {"o": {"next": 10**300}},
        " at .next: Int cannot represent non 32-bit signed integer value: 1000",
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
        "what a person needs",
        {"last_name": "x", "team": None, "skills": None},
        ": Expected value of type 'PersonCreate' to include required field 'contract'",
        " at .team: Expected value of non-null type 'ID!' not to be null.",
        " at .skills: Expected value of non-null type '[ID]!' not to be null.",
        query=PERSON,
    ),
]


@each_row("document", DOCUMENTS)
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


@each_row("what", NESTED)
def test_a_too_deeply_nested_document_is_reported(client: ServiceClient, what: str) -> None:
    query, variables = NESTED[what]

    (result,) = client.send({"query": query, "variables": variables}).json()["errors"]

    assert "nested too deeply" in result["message"]
    assert result["extensions"] == {"classification": VALIDATION if variables else SYNTAX}


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
