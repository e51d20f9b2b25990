"""Wrong variables cost little: coercion stops early, and each name is compared once."""

from importlib import import_module
from typing import Any

import graphql.pyutils
import pytest
from graphql import GraphQLError, get_variable_values

from stratabase.core.schema.execution.validator import MAX_REPORTED_ERRORS
from stratabase.core.schema.executor import MAX_VARIABLE_ERRORS
from stratabase.values import wording
from tests.core.schema.executor_api import ExecutorApi

PAGE = "query($f: ThingFilter) { Thing___getPage(options: {filter: $f}) { totalCount } }"
ORDER = "query($o: [ThingSort!]) { Thing___getPage(options: {orderBy: $o}) { totalCount } }"
SKIPPED = PAGE.replace("query(", "query($s: Boolean!, ").replace("totalCount", "totalCount @skip(if: $s)")


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words that are compared with others. The list grows."""
    words: list[str] = []
    compare = graphql.pyutils.suggestion_list

    def recorded(word: str, among: Any) -> list[str]:
        words.append(word)
        return compare(word, among)

    for name in ("pyutils", "type.definition", "utilities.validate_input_value"):
        # Not by attributes: a function has the name of its module.
        monkeypatch.setattr(import_module(f"graphql.{name}"), "suggestion_list", recorded)
    wording._similar_words.cache_clear()
    return words


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the messages of the errors that are made. The list grows."""
    messages: list[str] = []
    make = GraphQLError.__init__

    def recorded(self: GraphQLError, message: str, *args: Any, **options: Any) -> None:
        messages.append(message)
        make(self, message, *args, **options)

    monkeypatch.setattr(GraphQLError, "__init__", recorded)
    return messages


WRONG: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "an unknown field, often": (PAGE, {"f": {"OR": [{"naem___eq": "z"}] * 1200}}, ["naem___eq"]),
    "with a directive": (SKIPPED, {"f": {"OR": [{"naem___eq": "z"}] * 1200}, "s": False}, ["naem___eq"]),
    "many unknown fields": (
        PAGE,
        {"f": {f"nam{number}": 1 for number in range(1000)}},
        [f"nam{number}" for number in range(MAX_REPORTED_ERRORS)],
    ),
    "an unknown value, often": (ORDER, {"o": ["naem___ASC"] * 2000}, ["naem___ASC"]),
    "a long name": (PAGE, {"f": {"n" * 100_000: 1}}, []),
    "a long value": (ORDER, {"o": ["n" * 100_000]}, []),
    "wrong values": (PAGE, {"f": {"OR": [{"name___eq": {}}] * 9000}}, []),
}


@pytest.mark.parametrize(("query", "variables", "words"), WRONG.values(), ids=WRONG)
def test_wrong_variables_make_few_errors_and_compare_each_name_once(
    compared: list[str], made: list[str], query: str, variables: dict[str, Any], words: list[str]
) -> None:
    found = ExecutorApi().ask(query, **variables)

    assert 0 < len(found["errors"]) <= MAX_REPORTED_ERRORS
    assert "data" not in found
    assert compared == words
    # graphql-core makes two of an error in a variable. Advice, a suggestion and a hint make one each.
    assert len(made) <= 5 * MAX_VARIABLE_ERRORS + 10


@pytest.mark.parametrize(("query", "variables", "_words"), WRONG.values(), ids=WRONG)
def test_nothing_is_compared_without_suggestions(
    compared: list[str], query: str, variables: dict[str, Any], _words: list[str]
) -> None:
    assert ExecutorApi(suggestions=False).ask(query, **variables)["errors"]
    assert compared == []


def test_the_errors_suggest_similar_names() -> None:
    api = ExecutorApi()

    (field,) = api.ask(PAGE, f={"naem___eq": "z"})["errors"]
    (value,) = api.ask(ORDER, o=["naem___ASC"])["errors"]

    assert "unknown field 'naem___eq'. Did you mean 'name___eq'" in field["message"]
    assert field["message"].endswith('? Found: {"naem___eq": "z"}.')
    assert (
        "Value 'naem___ASC' does not exist in 'ThingSort' enum. Did you mean the enum value 'name___ASC'"
        in value["message"]
    )


@pytest.mark.parametrize(
    ("data", "passes"),
    [({"name": 7, "unknown": 1}, 2), ({"name": "too long a name"}, 0)],
    ids=["wrong", "right"],
)
def test_variables_are_not_coerced_again(
    data: dict[str, Any], passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong ones are coerced once, and once for their errors. Right ones are not, if the service refuses."""
    api = ExecutorApi()
    query = "mutation($d: ThingCreate!) { Thing___create(data: $d) { name } }"
    assert "errors" not in api.ask(query, d={"name": "x"})
    calls: list[Any] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return get_variable_values(*arguments, **options)

    monkeypatch.setattr("stratabase.core.schema.execution.variables.get_variable_values", counted)
    assert "errors" in api.ask(query, d=data)
    assert len(calls) == passes
