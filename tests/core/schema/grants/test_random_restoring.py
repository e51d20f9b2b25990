"""The outcome of a restoration does not depend on data hidden from the caller.

Each random history is written twice. The two differ only in what is hidden: a secret, shelves and seals.
"""

import re
from random import Random
from typing import Any

import pytest

from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.fakes import ADMINISTRATOR
from tests.soak import count

MODEL = read_model(
    """
    extend schema @application(name: "Archive")
      @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
    type Dossier @class(versioned: true) @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
      name: String
      secret: String @grant(profile: "Clerk", allow: [CREATE, EDIT])
      shelf: Shelf @association(opposite: "files")
      seals: [Seal!] @composition(whole: "file")
      label: String @derived(expression: "name + firstNotNull(shelf.name, '-')")
    }
    type Shelf
      @class(versioned: true)
      @grant(profile: "Clerk", allow: [READ, EDIT], where: "name != 'hidden'") {
      name: String
      files: [Dossier!] @association(opposite: "shelf")
    }
    type Seal
      @class(versioned: true)
      @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE], where: "text != 'hidden'") {
      text: String
    }
    """,
    "archive.graphql",
)
LENGTH = 8
SHOWN = "name label shelf { name } seals { totalCount items { text } }"


class DossierHistory:
    """A dossier that changes at random, and visibly, every second; perhaps it is deleted in the end.

    `is_other`: its hidden values and objects are others. `stays`: it is not deleted, and has a hidden seal.
    """

    def __init__(self, seed: int, *, is_other: bool = False, stays: bool = False) -> None:
        self.archive = ArchiveApi(ReferenceEngine(), MODEL)
        self._chance, self._hidden = Random(seed), Random(f"{seed} {is_other}")
        shelves = [self.archive.create("Shelf", name=name) for name in ("x", "y", "gone", "hidden", "hidden")]
        self._shelves, self._unseen = shelves[:3], [*shelves[3:], None]
        self.id = self._begin()
        for number in range(1, LENGTH):
            self._change(number)
        self.archive.delete("Shelf", shelves[2])
        if stays:
            self.archive.change("Dossier", self.id, seals={"create": [{"text": "hidden"}]})
        elif self._chance.random() < 0.3:
            self.archive.delete("Dossier", self.id)
        self.restored = 0

    def _begin(self) -> str:
        self.archive.clock.instant += 1000
        return self.archive.create("Dossier", name="0", secret="s", seals=[{"text": "first"}])

    def _change(self, number: int) -> None:
        values: dict[str, Any] = {"name": f"{number}", "secret": self._hidden.choice("abc")}
        shelf = self._chance.choice([*self._shelves, "unseen", "kept"])
        if shelf != "kept":
            id_ = self._hidden.choice(self._unseen) if shelf == "unseen" else shelf
            values["shelf"] = {"set": id_} if id_ else {"remove": True}
        values["seals"] = self._seals(number)
        self.archive.change("Dossier", self.id, **values)

    def _seals(self, number: int) -> dict[str, Any]:
        there = self.archive.get("Dossier", self.id, "seals { items { _id text } }")["seals"]["items"]
        seen = [each["_id"] for each in there if each["text"] != "hidden"]
        unseen = [each["_id"] for each in there if each["text"] == "hidden"]
        created = [{"text": f"{number}"}] if self._chance.random() < 0.4 else []
        created += [{"text": "hidden"}] if self._hidden.random() < 0.4 else []
        ended = self._chance.sample(seen, 1) if seen and self._chance.random() < 0.4 else []
        ended += self._hidden.sample(unseen, 1) if unseen and self._hidden.random() < 0.4 else []
        changed = [id_ for id_ in seen if id_ not in ended and self._chance.random() < 0.3]
        return {
            "create": created,
            "delete": ended,
            "update": [{"_id": id_, "text": f"now {number}"} for id_ in changed],
        }

    def seen_by_clerk(self) -> list[Any]:
        """Return what a clerk sees of the versions, and of four restorations, each tried and then forced."""
        found = [self.archive.version(self.id, second, SHOWN) for second in range(LENGTH + 2)]
        for second in self._chance.sample(range(1, LENGTH + 1), 4):
            for force in (False, True):
                request = self.archive.restoration(self.id, second, SHOWN, force=force)
                body = self.archive.body(request, CLERK)
                self.restored += "errors" not in body
                found.append(re.sub(r"id\d+", "?", str(body)))
                found.append(self.archive.get("Dossier", self.id, SHOWN, CLERK))
        return found

    def hidden_past(self) -> list[Any]:
        """Return what an administrator sees of the versions in addition to a clerk."""
        shown = "secret shelf { name } seals { items { text } }"
        return [self.archive.version(self.id, second, shown, ADMINISTRATOR) for second in range(LENGTH + 2)]

    def hidden_seals(self) -> set[str]:
        """Return the present hidden seals."""
        there = self.archive.get("Dossier", self.id, "seals { items { _id text } }", ADMINISTRATOR)
        return {
            each["_id"]
            for each in (there or {}).get("seals", {}).get("items", ())
            if each["text"] == "hidden"
        }


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(count(4, 300)))
def test_a_restoration_does_not_depend_on_anything_hidden(seed: int) -> None:
    one, other = (DossierHistory(seed, is_other=is_other) for is_other in (False, True))
    assert one.hidden_past() != other.hidden_past()
    assert one.seen_by_clerk() == other.seen_by_clerk()
    assert one.restored >= 4


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(count(2, 120)))
def test_a_restoration_leaves_hidden_parts_as_they_are(seed: int) -> None:
    """While the whole exists: parts that were deleted with it come back with it."""
    history = DossierHistory(seed, stays=True)
    before = history.hidden_seals()
    assert before
    history.seen_by_clerk()
    assert history.restored >= 4
    assert history.hidden_seals() == before
