"""Reads as of an instant show what `getVersion` shows of each object, to callers with different rights."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.store.engine.port import Engine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi, at
from tests.fakes import ADMINISTRATOR
from tests.soak import count, seed

STEPS = 40
SHOWN = "_id name level note label shelf { _id name } seals { items { _id text } }"
CALLERS = (ADMINISTRATOR, CLERK)


class Dossiers:
    """Dossiers on shelves that change, end and return at random, one step a second."""

    def __init__(self, engine: Engine, chance: Random) -> None:
        self.archive = ArchiveApi(engine)
        self.chance = chance
        self.shelves = [self.archive.create("Shelf", name=name) for name in "xyz"]
        self.ids: list[str] = []
        self.deleted: set[str] = set()
        self.seconds = 0
        for _ in range(STEPS):
            self._step()
            self.seconds += 1

    def _step(self) -> None:
        chance, archive = self.chance, self.archive
        existing = [each for each in self.ids if each not in self.deleted]
        kinds: list[Callable[[], object]] = [self._add, self._add, self._lock_away]
        if existing:
            id_ = chance.choice(existing)
            values = {"level": chance.randint(1, 6), "name": chance.choice("ab"), "note": chance.choice("nm")}
            name = chance.choice([*values])
            shelf = {"set": chance.choice(self.shelves)}
            kinds += [lambda: archive.change("Dossier", id_, **{name: values[name]})] * 3
            kinds += [lambda: archive.change("Dossier", id_, shelf=shelf), lambda: self._delete(id_)]
        if self.deleted:
            kinds.append(self._restore)
        chance.choice(kinds)()

    def _add(self) -> None:
        level, shelf = self.chance.choice([1, 2, 3, 5, 6]), self.chance.choice([None, *self.shelves])
        self.ids.append(self.archive.file(level=level, shelf=shelf, seals=[{"text": "s"}], note="n"))

    def _lock_away(self) -> None:
        shelf = self.chance.choice(self.shelves)
        self.archive.change("Shelf", shelf, locked_away=self.chance.random() < 0.5)

    def _delete(self, id_: str) -> None:
        self.archive.delete("Dossier", id_)
        self.deleted.add(id_)

    def _restore(self) -> None:
        id_ = self.chance.choice(sorted(self.deleted))
        for second in range(self.seconds, -1, -1):
            if "errors" not in self.archive.body(self.archive.restoration(id_, second, force=True)):
                break
            self.archive.clock.instant -= 1000
        self.deleted.remove(id_)

    def versions(self, second: int, caller: Caller) -> list[Any]:
        """Return what `getVersion` shows of each dossier, in the order of their IDs."""
        found = (self.archive.version(id_, second, SHOWN, caller) for id_ in sorted(self.ids))
        return [each for each in found if each is not None]

    def page(
        self, second: int, caller: Caller, fields: str = f"items {{ {SHOWN} }}", options: str = "next: 99"
    ) -> Any:
        """Return a page as of a second."""
        query = f'{{ Dossier___getPage(options: {{{options}}}, atVersion: "{at(second)}") {{ {fields} }} }}'
        return self.archive.ask(query, caller)

    def items(self, second: int, caller: Caller, options: str) -> list[Any]:
        """Return the items of a page as of a second."""
        found: list[Any] = self.page(second, caller, options=f"next: 99, {options}")["items"]
        return found


@pytest.fixture(scope="module")
def dossiers() -> Sequence[Dossiers]:
    return [Dossiers(ReferenceEngine(), Random(seed() + turn)) for turn in range(count(2, 100))]


@pytest.fixture(scope="module")
def moments(dossiers: Sequence[Dossiers]) -> Sequence[tuple[Dossiers, int, Caller, list[Any]]]:
    """Some seconds of the histories and callers, with what `getVersion` shows them."""
    return [
        (each, second, caller, each.versions(second, caller))
        for each in dossiers
        for second in each.chance.sample(range(STEPS + 2), 3)
        for caller in CALLERS
    ]


Moments = Sequence[tuple[Dossiers, int, Caller, list[Any]]]


def test_callers_see_different_objects_at_different_instants(moments: Moments) -> None:
    """Otherwise, the tests below would compare nothing."""
    assert len({(len(found), caller.username) for _, _, caller, found in moments}) > 5
    assert any(each.deleted for each, *_ in moments)


def test_a_page_shows_what_the_versions_of_all_objects_show(moments: Moments) -> None:
    for dossiers, second, caller, found in moments:
        page = dossiers.page(second, caller, f"totalCount hasNext items {{ {SHOWN} }}")
        assert page == {"totalCount": len(found), "hasNext": False, "items": found}, (second, caller)
        assert dossiers.items(second, caller, "orderBy: [_id___DESC]") == found[::-1]
        for id_ in dossiers.ids:
            got = f'{{ Dossier___get(_id: "{id_}", atVersion: "{at(second)}") {{ {SHOWN} }} }}'
            assert dossiers.archive.ask(got, caller) == next((e for e in found if e["_id"] == id_), None)


def test_filters_and_orders_are_about_the_values_of_the_instant(moments: Moments) -> None:
    for dossiers, second, caller, found in moments:
        by_level = sorted(found, key=lambda each: (-each["level"], each["_id"]))
        assert dossiers.items(second, caller, "orderBy: [level___DESC]") == by_level
        low = [each for each in found if each["level"] < 3]
        assert dossiers.items(second, caller, "filter: {level___lt: 3}") == low
        assert dossiers.items(second, caller, 'filter_exp: "level < 3"') == low
        on_x = [each for each in found if each["shelf"] and each["shelf"]["name"] == "x"]
        assert dossiers.items(second, caller, 'filter: {shelf: {name___eq: "x"}}') == on_x
        labelled = [each for each in found if "of x" in each["label"]]
        assert dossiers.items(second, caller, 'filter: {label___contains: "of x"}') == labelled


def test_totals_are_those_of_the_items(moments: Moments) -> None:
    for dossiers, second, caller, found in moments:
        aggregates = "aggregates { _count level { sum } shelf { countDistinct } }"
        groups = "groups(by: [shelf]) { items { _count _keys { shelf { _id } } } }"
        fields = f"totalCountUpTo(limit: 2) {{ count more }} {aggregates} {groups}"
        page = dossiers.page(second, caller, fields)
        levels, on = [each["level"] for each in found], [(each["shelf"] or {}).get("_id") for each in found]
        assert page["totalCountUpTo"] == {"count": min(len(found), 2), "more": len(found) > 2}
        assert page["aggregates"]["_count"] == len(found)
        assert page["aggregates"]["level"]["sum"] == (str(sum(levels)) if levels else None)
        assert page["aggregates"]["shelf"]["countDistinct"] == len({*on} - {None})
        counts = {(g["_keys"]["shelf"] or {}).get("_id"): g["_count"] for g in page["groups"]["items"]}
        assert counts == {key: on.count(key) for key in on}


def test_cursors_lead_through_all_objects(moments: Moments) -> None:
    for dossiers, second, caller, found in moments[:: count(3, 1)]:
        for order, limit, end in (("_id___ASC", "next", "nextCursor"), ("level___ASC", "prev", "prevCursor")):
            walked, cursor = list[Any](), ""
            while True:
                options = f"orderBy: [{order}], {limit}: 2{cursor}"
                page = dossiers.page(second, caller, f"items {{ {SHOWN} }} hasNext hasPrev {end}", options)
                walked = [*walked, *page["items"]] if limit == "next" else [*page["items"], *walked]
                assert page["hasPrev" if limit == "next" else "hasNext"] is bool(cursor and found)
                if page[end] is None or not page["hasNext" if limit == "next" else "hasPrev"]:
                    break
                cursor = f', cursor: "{page[end]}"'
            name = order.partition("___")[0]
            assert walked == sorted(found, key=lambda each: (each[name], each["_id"]))


def test_a_page_is_the_same_with_and_without_hidden_objects() -> None:
    with_hidden, without = ArchiveApi(ReferenceEngine()), ArchiveApi(ReferenceEngine())
    for number in range(8):
        for api in (with_hidden, without):
            api.clock.instant += 1000
            # Of the hidden ones, some are always hidden, some only now, and some in their last version.
            if number % 2:
                if api is with_hidden:
                    id_ = api.file(name=f"n{number}", level=9 if number % 4 == 1 else 1)
                    api.change("Dossier", id_, level=8)
                    if number > 4:
                        api.delete("Dossier", id_)
            else:
                api.file(name=f"n{number}", level=1)
        without.clock.instant = with_hidden.clock.instant
    then = with_hidden.clock.instant
    for second in range((then - 1_577_880_000_000) // 1000 + 1):
        for options in ("next: 1", "next: 3", "prev: 2", "orderBy: [level___ASC]", "filter: {level___gt: 0}"):
            query = (
                f'{{ Dossier___getPage(options: {{{options}}}, atVersion: "{at(second)}") '
                "{ totalCount hasNext hasPrev items { name level } aggregates { _count level { sum } } } }"
            )
            assert with_hidden.ask(query, CLERK) == without.ask(query, CLERK), (second, options)


def test_parts_are_shown_while_their_whole_had_them() -> None:
    archive = ArchiveApi(ReferenceEngine())
    one = archive.file(sheets=[{"weight": 1}, {"weight": 2}])
    archive.file(sheets=[{"weight": 3}], level=9)
    (first, _) = archive.get("Dossier", one, "sheets { items { _id } }")["sheets"]["items"]
    archive.change("Dossier", one, sheets={"delete": [first["_id"]]})
    archive.delete("Dossier", one)

    def weights(second: int, caller: Caller) -> list[int]:
        query = f'{{ Sheet___getPage(atVersion: "{at(second)}") {{ items {{ weight }} }} }}'
        return [each["weight"] for each in archive.ask(query, caller)["items"]]

    assert [weights(second, ADMINISTRATOR) for second in range(5)] == [[], [1, 2], [1, 2, 3], [2, 3], [3]]
    assert [weights(second, CLERK) for second in range(5)] == [[], [1, 2], [1, 2], [2], []]
