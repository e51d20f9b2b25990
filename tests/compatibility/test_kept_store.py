"""The current code reads a store of 2026-11-22, continues to write it, and writes the same items."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.compatibility.recorded import (
    Conversation,
    digest,
    named,
    read_json,
    read_lines,
    same_names,
)
from tests.compatibility.requests import MODEL, QUESTIONS, STORY, WRITES
from tests.compatibility.service import STORES, FrozenEnvironment, service

KEPT = read_json("names.json")
_TEXT, _LIST = r'(?:"[^"]*"|{"S":"[^"]*"})', r'(?:\[[^]]*\]|{"L":\[[^]]*\]})'
_ADDED = rf'"claimed":{_TEXT}|"author":{_LIST}'
_ADDITION = re.compile(f"(?:{_ADDED}),|,(?:{_ADDED})")
_POSITIONS = re.compile(
    r"(?:, p1, s1, p2, s2(?=\))|, 'T#[^']*', '[^']*', 'T#[^']*', '[^']*'(?=\);$)"
    r'|"p[12]":{"S":"T#[^"]*"},|"s[12]":{"S":"[^"]*"},)'
)
"""The positions of a deleted object in the indexes, in the lines of those that have them."""

_NEW_TABLES = r"(?:audit\w*|defaults|key_uses|removed_members)\b"
_ADDED_SINCE = re.compile(rf'^(?:CREATE (?:TABLE|INDEX)|INSERT INTO) {_NEW_TABLES}|"pk":{{"S":"(?:AUD|USE)#')


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def dump_of(store: str) -> dict[str, list[str]]:
    """Return the recorded dump of a store."""
    return {file: read_lines(f"{store}.{file}") for file in ("objects", "members")}


def without_additions(dump: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a dump without attributes that items have had only since the kept store was written.

    They are the stamps of claims, because a blocking warning of the model follows a role, the authors, and
    the positions of deleted objects. Nothing else of an item may change because of them.

    The file of members has had layout 4 since then: a table of links, which is empty, tables of the audit
    trail and of defaults, and the table of members with an email address that can be NULL.
    """
    found = {
        file: [_without_positions(_ADDITION.sub("", line)) for line in lines] for file, lines in dump.items()
    }
    return {**found, "members": [*_in_kept_layout(found["members"])]}


def _in_kept_layout(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a file of members with the layout that the kept one has."""
    if lines[1] != "PRAGMA user_version = 4;":
        yield from (line for line in lines if not _ADDED_SINCE.search(line))
        return
    kept = {line.partition("(")[0]: line for line in read_lines("sqlite.members")}
    for line in lines:
        if line == "PRAGMA user_version = 4;":
            yield "PRAGMA user_version = 3;"
        elif line.startswith('CREATE TABLE "members"'):
            yield kept["CREATE TABLE members "]
        elif not line.startswith("CREATE TABLE links") and not _ADDED_SINCE.search(line):
            yield line


def _without_positions(line: str) -> str:
    return _POSITIONS.sub("", line) if re.search("['\"]T#", line) else line


def test_the_recorded_requests_write_the_recorded_items(store: str) -> None:
    """The items are the same except for ids, which may be generated in another order (README.md)."""
    expected_answers, expected = read_json("story.json"), dump_of(store)
    with service(store, environment := FrozenEnvironment(), f"story-{store}") as built:
        answers = without_labels(Conversation(built, environment).hold(STORY))
        built.close()
        found = without_additions(built.dump())
    for file, lines in expected.items():
        assert named(found[file], answers) == named(lines, expected_answers)
    assert same_names(answers) == same_names(expected_answers)
    assert environment.now == KEPT["now"]


def test_a_recorded_store_is_read_and_written_with_the_recorded_results(store: str) -> None:
    with service(store, environment := FrozenEnvironment(KEPT["now"]), f"kept-{store}") as built:
        built.fill(dump_of(store), MODEL)
        built.open(MODEL)
        conversation = Conversation(built, environment, KEPT["names"])
        check_answers(
            without_labels(conversation.hold(QUESTIONS)), _with_unreadable_nulls(read_json("questions.json"))
        )
        answers = without_labels(conversation.hold(WRITES))
        check_answers(same_names(answers), same_names(_with_progress(read_json("writes.json"))))
        built.close()
        assert digest(without_additions(built.dump()), answers) == KEPT["digests"][store]


def _with_unreadable_nulls(recorded: list[Any]) -> list[Any]:
    """Return recorded answers as the service gives them now.

    It refused a query with a selection that the caller may not read. Now that is null, with an issue.
    """
    (number,) = (
        number
        for number, answer in enumerate(recorded)
        if [error["extensions"]["issueType"] for error in answer.get("errors", ())]
        == ["ATTRIBUTE_GRANT_READ"]
    )
    (refusal,) = recorded[number]["errors"]
    issue = {**refusal, "locations": [{"line": 1, "column": 58}], "path": ["it", "salary"]}
    answer = {"errors": [issue], "data": {"it": {"last_name": "Lovelace", "salary": None}}}
    return [*recorded[:number], answer, *recorded[number + 1 :]]


def _with_progress(recorded: list[Any]) -> list[Any]:
    """Return recorded answers as the service gives them now.

    A bulk service that stopped halfway answered only errors. Now it answers what it did, too.
    """
    (number,) = (
        number
        for number, answer in enumerate(recorded)
        if [
            error["extensions"]["issueType"]
            for error in (answer.get("errors", ()) if isinstance(answer, dict) else ())
        ]
        == ["SERVICE_HANDLER_ERROR", "ENTITY_LOCK_PERSIST"]
    )
    done = {"totalCount": 1, "items": [{"last_name": "Lovelace", "number": "9"}]}
    answer = {**recorded[number], "data": {"it": done}}
    return [*recorded[:number], answer, *recorded[number + 1 :]]


def without_labels(answers: Any) -> Any:
    """Return responses without the labels that issues have had only since they were recorded."""
    if isinstance(answers, dict):
        return {name: without_labels(each) for name, each in answers.items() if name != "_label"}
    return [*map(without_labels, answers)] if isinstance(answers, list) else answers


def check_answers(answers: list[Any], expected: list[Any]) -> None:
    """Assert that responses are as expected, one by one, so that a failure shows which one differs."""
    assert len(answers) == len(expected)
    for number, (answer, then) in enumerate(zip(answers, expected, strict=True)):
        assert answer == then, number
