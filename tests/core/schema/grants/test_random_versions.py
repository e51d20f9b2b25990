"""All services show the same random versions, within the grants."""

import json
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.fakes import ADMINISTRATOR
from tests.soak import count

LENGTH = 12
SHOWN = "name level note stamp label shelf { _id } seals { items { _id text } }"
PLAIN = ("name", "level", "stamp")


class DossierHistory:
    """A dossier that changes at random once a second."""

    def __init__(self, seed: int) -> None:
        self.archive = ArchiveApi(ReferenceEngine())
        self._chance = Random(seed)
        self._shelves = [self.archive.create("Shelf", name=name) for name in "xyz"]
        self.id = self.archive.file(shelf=self._shelves[0], note="n")
        for _ in range(LENGTH):
            self._chance.choice([self._change, self._change, self._change, self._move, self._lock_away])()

    def _change(self) -> None:
        values = {
            "name": self._chance.choice("ab"),
            "level": self._chance.randint(1, 6),
            "note": self._chance.choice([None, "n", "m"]),
            "secret": self._chance.choice("st"),
            "stamp": self._chance.choice([None, "s"]),
        }
        chosen = self._chance.sample(sorted(values), 2)
        self.archive.change("Dossier", self.id, **{name: values[name] for name in chosen})

    def _move(self) -> None:
        shelf = {"set": self._chance.choice(self._shelves)}
        seals = {"create": [{"text": self._chance.choice("ab")}]}
        self.archive.change("Dossier", self.id, shelf=shelf, seals=seals)

    def _lock_away(self) -> None:
        shelf = self._chance.choice(self._shelves)
        self.archive.change("Shelf", shelf, locked_away=self._chance.random() < 0.5)

    def version(self, second: int, caller: Any = CLERK) -> Any:
        return self.archive.version(self.id, second, SHOWN, caller)

    def page(self, options: str = "") -> Any:
        """Return a page of versions as the clerk sees them."""
        fields = f'totalCount items {{ start: _versionStart(format: "ss") {SHOWN} }}'
        query = f'{{ Dossier___getVersionPage(_id: "{self.id}"{options}) {{ {fields} }} }}'
        return self.archive.ask(query, CLERK)


PARTLY_SEEN = 3
SEEDS = (PARTLY_SEEN, 1, 0, 2)


@pytest.fixture(params=SEEDS[: count(2, len(SEEDS))])
def history(request: pytest.FixtureRequest) -> DossierHistory:
    return DossierHistory(request.param)


SECONDS = range(LENGTH + 3)


def test_a_history_is_partly_visible() -> None:
    """Otherwise, the tests below would compare nothing."""
    history = DossierHistory(PARTLY_SEEN)
    assert [history.version(second) is not None for second in SECONDS].count(True) in range(3, LENGTH)
    assert len(history.page(", options: {next: 99}")["items"]) >= 3


def test_a_clerk_sees_only_versions_below_the_fifth_level(history: DossierHistory) -> None:
    """The object must also be below that level now. Otherwise all its versions are hidden."""
    level = history.version(99, ADMINISTRATOR)["level"]
    for second in SECONDS:
        whole, shown = history.version(second, ADMINISTRATOR), history.version(second)
        assert (shown is not None) == (whole is not None and whole["level"] < 5 and level < 5)
        if shown is not None:
            assert {name: shown[name] for name in PLAIN} == {name: whole[name] for name in PLAIN}
            assert shown["note"] == (whole["note"] if max(whole["level"], level) < 3 else None)


def test_a_page_shows_each_version_as_if_read_alone(history: DossierHistory) -> None:
    page = history.page(", options: {next: 99}")
    assert page["totalCount"] == len(page["items"])
    level = history.version(99, ADMINISTRATOR)["level"]
    assert bool(page["items"]) is (level < 5)
    for item in page["items"]:
        assert history.version(int(item.pop("start")), CLERK) == item
    for size, offset in product((1, 2, 5), (0, 1, 3)):
        part = history.page(f", options: {{next: {size}, offset: {offset}}}")["items"]
        assert [{**each, "start": None} for each in part] == [
            {**each, "start": None} for each in page["items"][offset : offset + size]
        ]


def test_a_diff_compares_only_visible_values(history: DossierHistory) -> None:
    for first, last in product(SECONDS[::2], SECONDS[1::2]):
        old, new = history.version(first), history.version(last)
        found = history.archive.diff(history.id, first, last)
        if old is None and new is None:
            assert found is None
            continue
        empty = dict.fromkeys(old or new)
        old, new = old or empty, new or empty
        assert not {"secret", "label"} & found.keys()
        for name in PLAIN:
            assert (name in found) == (old[name] != new[name])
        assert ("shelf" in found) == (old["shelf"] != new["shelf"])
        for name in found.keys() & {*PLAIN, "note"}:
            assert [text and json.loads(text) for text in found[name][:2]] == [old[name], new[name]]
