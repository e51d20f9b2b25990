"""Texts that differ only in their literals share a document, and have the responses that they have alone."""

import re
from random import Random
from typing import Any

import pytest
from graphql import GraphQLSyntaxError, Lexer, Source, TokenKind, print_ast
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.schema.execution.compiled_operation import CompiledOperation
from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits
from stratabase.core.schema.execution.literals import split_literals
from stratabase.core.schema.executor import SchemaExecutor
from tests import soak
from tests.core.schema.execution.random_documents import NUMBERS, STRINGS, DocumentWriter
from tests.core.schema.executor_api import ExecutorApi
from tests.core.schema.grants.random_model import random_model
from tests.core.schema.grants.test_random_grants import MEMBER, RandomObjects
from tests.core.schema.graph_api import OrderedIds
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import ADMINISTRATOR, CountedIds, FrozenClock, unlimited_budget
from tests.rows import each_row

LITERALS = re.compile(r'"(?:[^"\\]|\\.)*"|(?<!\w)-?\d[\d.e]*')


PIECES = [*"-.a$:#,={}() ", "\n", "...", "format:", "e", "_"]
PIECES += ["5", "-5", "0", "-0", "00", "1.5", "1.", "1e3", "9" * 30]
PIECES += ['""', '"a"', '"\\""', '"\\u0041"', '"""']


def tokens_of(text: str) -> list[tuple[TokenKind, str | None]]:
    """Return the tokens of a text. Raises GraphQLSyntaxError."""
    lexer, tokens = Lexer(Source(text)), []
    while lexer.advance().kind is not TokenKind.EOF:
        tokens.append((lexer.token.kind, lexer.token.value))
    return tokens


def assert_equal_tokens(text: str) -> bool:
    """Assert that a template has the tokens of its text, with variables for literals."""
    template = split_literals(text)
    nodes = template.nodes() if template else None
    if template is None or nodes is None:
        return False
    try:
        tokens = tokens_of(template.text)
    except GraphQLSyntaxError:
        return False
    expected: list[tuple[TokenKind, str | None]] = []
    for kind, value in tokens:
        if kind is TokenKind.NAME and value in nodes:
            assert expected.pop() == (TokenKind.DOLLAR, None)
            expected += tokens_of(print_ast(nodes[value]))
        else:
            expected.append((kind, value))
    assert expected == tokens_of(text)
    return True


@given(st.text(alphabet='"""\\\\a_5.0-e+ #\n,:=${}[]()é\ufeff\ud800', max_size=20))
def test_a_template_has_the_tokens_of_any_text(text: str) -> None:
    assert_equal_tokens(text)


@given(
    st.lists(
        st.sampled_from(PIECES),
        max_size=12,
    ).map("".join)
)
def test_a_template_has_the_tokens_of_any_pieces(text: str) -> None:
    assert_equal_tokens(text)


def test_a_template_has_the_tokens_of_documents() -> None:
    chance = Random(soak.seed())
    writer = DocumentWriter(executor(compiled=True).schema, chance)
    found = [assert_equal_tokens(writer.document(literals=True)) for _ in range(50)]
    assert sum(found) > 25


@each_row(
    ("text", "parts", "literals"),
    [
        ('{ a(b: "c", d: -5) }', ("{ a(b: ", ", d: ", ") }"), ['"c"', "-5"]),
        ("query($a: Int = 5) { b(c: 1.5) }", ("query($a: Int = 5) { b(c: ", ") }"), ["1.5"]),
        ('{ a(b: "c") { d(format: "e") } }', ("{ a(b: ", ') { d(format: "e") } }'), ['"c"']),
        ("{ a1(b2: 3) }", ("{ a1(b2: ", ") }"), ["3"]),
    ],
)
def test_splits(text: str, parts: tuple[str, ...], literals: list[str]) -> None:
    template = split_literals(text)
    assert template
    assert (template.parts, template.literals) == (parts, literals)


@each_row(
    "text",
    [
        "{ a }",
        '{ a(b: """c""") }',
        '{ a(b: "c") } # d',
        '{ a(b: "c) }',
        "query($___0: Int) { a(b: $___0, c: 5) }",
        "query($a: Int = 5) { a(b: $a) }",
    ],
)
def test_does_not_split(text: str) -> None:
    assert split_literals(text) is None


def executor(*, compiled: bool) -> SchemaExecutor:
    """Return an executor over a few objects."""
    objects = EverythingObjects()
    for number in range(4):
        objects.put("Person", f"id00{number}", last_name="Li", email=f"{number}@x.com", team="id001")
        objects.put("Team", f"id00{number}", name=str(number), lead="id001")
    # Some writes conflict with themselves in every round here. Nobody needs to wait between the rounds.
    services = Services(
        EVERYTHING, objects, FrozenClock(), OrderedIds(), unlimited_budget, pause=lambda _: None
    )
    policy = ExecutionPolicy(limits=Limits(cost=3_000))
    return SchemaExecutor(services, lambda *_: None, policy, compile_answers=compiled)


def body_of(
    executor: SchemaExecutor, text: str, variables: dict[str, Any], caller: Caller = ADMINISTRATOR
) -> bytes:
    """Return the body of the response, or the reason why there is none."""
    try:
        return executor.execute(text, variables, None, caller, "trace").body
    except (Refused, Unavailable) as reason:
        return repr(reason).encode()


def varied(chance: Random, text: str) -> str:
    """Return a text with some of its literals replaced."""

    def replaced(match: re.Match[str]) -> str:
        drawn = chance.random()
        if drawn < 0.4:
            return match[0]
        if drawn < 0.7 and match[0].startswith('"'):
            return f'"{chance.choice([*STRINGS, "id001", "id002", "a0", "b0"])}"'
        return chance.choice([*NUMBERS, "2", '"3"', "9999999999", "01", '"\\x"', '"\\uD800"'])

    return LITERALS.sub(replaced, text)


@pytest.mark.soak
def test_texts_with_other_literals_have_the_responses_of_graphql_core() -> None:
    chance = Random(soak.seed())
    found, oracle = executor(compiled=True), executor(compiled=False)
    writer = DocumentWriter(oracle.schema, chance)
    for _ in range(soak.count(15, 4_000)):
        text = writer.document(literals=chance.random() < 0.8)
        variables = {"v0": "id001", "v1": 2, "___0": "id002"}
        for each in (text, text, writer.mutated(text), *(varied(chance, text) for _ in range(4))):
            assert body_of(found, each, variables) == body_of(oracle, each, variables), each


def random_executor(model: Model, seed: int, *, compiled: bool) -> SchemaExecutor:
    """Return an executor over random objects of a model with grants."""
    objects = RandomObjects(model, Random(seed))
    objects.create_all()
    services = Services(
        model, objects.entities, FrozenClock(), CountedIds(), unlimited_budget, pause=lambda _: None
    )
    return SchemaExecutor(services, lambda *_: None, compile_answers=compiled)


@pytest.mark.soak
def test_members_with_grants_have_the_responses_of_graphql_core() -> None:
    """Errors of fields that the caller must not read tell their places in the text, too."""
    chance = Random(soak.seed())
    for _ in range(soak.count(2, 400)):
        model, seed = random_model(chance), chance.randrange(2**32)
        found, oracle = (random_executor(model, seed, compiled=way) for way in (True, False))
        writer = DocumentWriter(oracle.schema, chance)
        for _ in range(8):
            text = writer.document(literals=chance.random() < 0.8)
            for each in (text, *(varied(chance, text) for _ in range(3))):
                assert body_of(found, each, {}, MEMBER) == body_of(oracle, each, {}, MEMBER), each


def test_a_new_literal_is_neither_parsed_nor_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, the other tests would pass without templates."""
    api = ExecutorApi()
    for number in range(5):
        api.put(f"t{number}", name=f"n{number}", count=number)
    text = """{{ Thing___get(_id: "t{0}") {{ name }}
      Thing___getPage(options: {{next: {0}, filter: {{count___eq: {0}}}}}) {{ totalCount }} }}"""
    api.ask(text.format(0))
    monkeypatch.delattr("stratabase.core.schema.execution.documents.parse")
    monkeypatch.delattr(CompiledOperation, "_each_root")
    monkeypatch.delattr("stratabase.core.schema.executor.execute_sync")

    for number in range(1, 5):
        expected = {"Thing___get": {"name": f"n{number}"}, "Thing___getPage": {"totalCount": 1}}
        assert api.ask(text.format(number)) == {"data": expected}


def test_errors_tell_the_places_in_the_text_of_the_client() -> None:
    api, oracle = ExecutorApi(), ExecutorApi(compile_answers=False)
    text = '{{ Thing___getPage(options: {{offset: {0}, filter: {{name___eq: "{0}"}}}}) {{ totalCount }} }}'
    for value in ("0", "10", "-1", "-10", "2147483648", "1000000", "1.5", '"'):
        assert api.answer(text.format(value)).body == oracle.answer(text.format(value)).body


def test_one_response_name_with_other_arguments_is_refused() -> None:
    api = ExecutorApi()
    text = '{{ a: Thing___get(_id: "{}") {{ name }} a: Thing___get(_id: "{}") {{ code }} }}'
    assert "data" in api.ask(text.format("x", "x"))
    assert "conflict" in api.ask(text.format("x", "y"))["errors"][0]["message"]
    assert "data" in api.ask(text.format("y", "y"))


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ('query($yes: Boolean!) {{ Thing___get(_id: "t{0}") {{ name @include(if: $yes) }} }}', {"yes": True}),
        ("{{ Thing___getPage(options: {{offset: -{0}}}) {{ totalCount }} }}", {}),
        ("{{ Thing___getPage(options: {{next: 1000000{0}}}) {{ items {{ name }} }} }}", {}),
    ],
    ids=["executed by graphql-core", "refused", "too expensive"],
)
def test_a_new_literal_is_not_validated_in_a_text_that_is_parsed_again(
    monkeypatch: pytest.MonkeyPatch, text: str, variables: dict[str, Any]
) -> None:
    api, oracle = ExecutorApi(), ExecutorApi(compile_answers=False)
    expected = [oracle.answer(text.format(number), **variables).body for number in (1, 2, 3)]
    api.answer(text.format(1), **variables)
    monkeypatch.delattr("stratabase.core.schema.execution.validator.validate")
    assert [api.answer(text.format(number), **variables).body for number in (1, 2, 3)] == expected


@pytest.mark.parametrize(
    "text", ["{{ Thing___get(_id: {0}, x: {0}) {{ name }} }}", "{{ __type(name: {0}) {{ name }} }}"]
)
def test_a_literal_has_the_response_that_it_has_alone(text: str) -> None:
    api, oracle = ExecutorApi(), ExecutorApi(compile_answers=False)
    for literal in ('"Thing"', "5", '"Thing"', "1.5", '"x"'):
        assert api.answer(text.format(literal)).body == oracle.answer(text.format(literal)).body


def test_a_document_that_graphql_core_executes_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each such request would be parsed twice."""
    api = ExecutorApi()
    api.put("a", name="b")
    text = 'query($yes: Boolean!) { Thing___get(_id: "a") { name @include(if: $yes) } }'
    assert api.ask(text, yes=True) == {"data": {"Thing___get": {"name": "b"}}}
    api.ask(text, yes=True)
    monkeypatch.delattr("stratabase.core.schema.execution.documents.parse")
    assert api.ask(text, yes=False) == {"data": {"Thing___get": {}}}
