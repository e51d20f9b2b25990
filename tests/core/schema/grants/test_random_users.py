"""Answers to random requests do not depend on what the caller may not read of members."""

import json
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.members.member import Member
from tests.core.schema.users_api import ALL, ANNA, BERT, MODEL, ROME, ROOT, UsersApi
from tests.fakes import DictEntities
from tests.soak import count

READABLE = ("_id", "username", "profile", "language", "timeZone", "dateFormat", "timeFormat", "disabled")
"""What a clerk may read of every visible member. The clerk's own address is visible too, and no notes are."""
TEXTS = ("username", "profile", "language", "timeZone")
WORDS = (*(each.username for each in ALL), "hidden0", "hidden1", "Clerk", "Administrator", "UTC", "a", "")
HIDDEN = tuple(
    Member(f"h{each}", f"boss{each}", f"boss{each}@example.com", "Administrator") for each in range(3)
)
REQUESTS = 12


def world(chance: Random | None) -> UsersApi:
    """Return the API over notes of visible and hidden members.

    With `chance`, all that clerks can't see is changed.
    """
    api = UsersApi(partial(DictEntities, MODEL))
    for member in HIDDEN:
        api.members.add(member)
    for number, member in enumerate((ANNA, BERT, ROOT, *HIDDEN, ANNA)):
        api.note(replace(member, profile="Administrator"), text=str(number))
    if chance is not None:
        change_hidden(api, chance)
    return api


def change_hidden(api: UsersApi, chance: Random) -> None:
    for member in ALL:
        hides_all = member.profile == "Administrator"
        if hides_all:
            api.change(member, formats=ROME, disabled=True, username="renamed")
        if member is not ANNA:
            api.change(member, email=f"changed{member.email}")
        api.change(member, notes=chance.choice(["x", "changed", None]))
    api.remove(chance.choice(HIDDEN))
    for number in range(chance.randrange(5)):
        name = f"hidden{number}"
        api.members.add(Member(name, name, f"{name}@example.com", "Administrator", "n", ROME))


class UserRequests:
    """Random requests of a clerk about members, and about notes through their members."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def request(self) -> str:
        """Return a query."""
        return self._chance.choice(
            [self._get, self._page, self._page, self._page, self._notes, self._versions]
        )()

    def _get(self) -> str:
        id_ = self._chance.choice([*(each.id for each in (*ALL, *HIDDEN)), "hidden0", "=None=root"])
        return f'{{ _User___get(_id: "{id_}") {{ {self._selection()} }} }}'

    def _page(self) -> str:
        shown = f"totalCount hasNext hasPrev nextCursor prevCursor items {{ {self._selection()} }}"
        return f"{{ _User___getPage(options: {{{self._options()}}}) {{ {shown} }} }}"

    def _notes(self) -> str:
        options = self._chance.choice(
            ["", 'filter: {author___ne: "anna"}', "orderBy: [author___DESC]", 'filter_exp: "isNull(author)"']
        )
        roles = f"_createdby_user {{ {self._selection()} }} _ownedby_user {{ username }} author"
        return f"{{ Note___getPage(options: {{{options}}}) {{ totalCount items {{ text {roles} }} }} }}"

    def _versions(self) -> str:
        id_ = f"id{self._chance.randrange(1, 30):03}"
        items = "items { author _createdby_user { _id email } }"
        return f'{{ Note___getVersionPage(_id: "{id_}") {{ {items} }} }}'

    def _selection(self) -> str:
        return " ".join(self._chance.sample([*READABLE, "email"], 3))

    def _options(self) -> str:
        chance = self._chance
        order = f"{chance.choice(READABLE)}___{chance.choice(['ASC', 'DESC'])}"
        parts = [f"orderBy: [{order}]", f"{chance.choice(['next', 'prev'])}: {chance.randrange(7)}"]
        if chance.random() < 0.3:
            parts.append(f"offset: {chance.randrange(4)}")
        if chance.random() < 0.7:
            parts.append(f"filter: {{{self._filter()}}}")
        if chance.random() < 0.3:
            parts.append(f'filter_exp: "{chance.choice(TEXTS)} < caller.username || disabled"')
        return ", ".join(parts)

    def _filter(self) -> str:
        chance, word = self._chance, json.dumps(self._chance.choice(WORDS))
        operator = chance.choice(["eq", "ne", "lt", "gte", "contains", "not___starts_with"])
        comparison = f"{chance.choice(TEXTS)}___{operator}: {word}"
        return chance.choice(
            [comparison, f"NOT: {{{comparison}}}", f"OR: [{{{comparison}}}, {{disabled___eq: true}}]"]
        )


def answers(api: UsersApi, requests: list[str]) -> list[tuple[Any, int]]:
    """Return the response of each request, and how many reads of members it took."""
    found = []
    for request in requests:
        before = api.members.reads
        found.append((api.body(request, ANNA), api.members.reads - before))
    return found


@pytest.mark.long
@settings(max_examples=count(10, 500))
@given(st.integers(0, 2**32))
def test_answers_do_not_depend_on_what_is_hidden_of_members(seed: int) -> None:
    chance = Random(seed)
    random_requests = UserRequests(chance)
    requests = [random_requests.request() for _ in range(REQUESTS)]
    plain, changed = answers(world(None), requests), answers(world(chance), requests)
    for request, (one, reads), (other, other_reads) in zip(requests, plain, changed, strict=True):
        assert one == other, request
        assert "errors" not in one, (request, one)
        assert abs(reads - other_reads) <= 3, request
