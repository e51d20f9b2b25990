"""What becomes of a restoration, and what is told of it, does not depend on what its caller must not see.

Each random past happens twice, and differs in nothing but that: a secret, shelves and seals that are hidden.
"""

import re
from random import Random
from typing import Any

import pytest

from stratabase.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.schema.grants.archive import CLERK, Archive
from tests.soak import count
from tests.worlds import ADMINISTRATOR

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


class Story:
    """A dossier that changes at random, and visibly, every second; `is_other`: with other hidden things."""

    def __init__(self, seed: int, *, is_other: bool) -> None:
        self.archive = Archive(ReferenceEngine(), MODEL)
        self._chance, self._hidden = Random(seed), Random(f"{seed} {is_other}")
        shelves = [self.archive.create("Shelf", name=name) for name in ("x", "y", "gone", "hidden", "hidden")]
        self._shelves, self._unseen = shelves[:3], [*shelves[3:], None]
        self.id = self._begin()
        for number in range(1, LENGTH):
            self._go_on(number)
        self.archive.delete("Shelf", shelves[2])
        if self._chance.random() < 0.3:
            self.archive.delete("Dossier", self.id)

    def _begin(self) -> str:
        self.archive.clock.instant += 1000
        return self.archive.create("Dossier", name="0", secret="s", seals=[{"text": "first"}])

    def _go_on(self, number: int) -> None:
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
        made = [{"text": f"{number}"}] if self._chance.random() < 0.4 else []
        made += [{"text": "hidden"}] if self._hidden.random() < 0.4 else []
        ended = self._chance.sample(seen, 1) if seen and self._chance.random() < 0.4 else []
        ended += self._hidden.sample(unseen, 1) if unseen and self._hidden.random() < 0.4 else []
        changed = [id_ for id_ in seen if id_ not in ended and self._chance.random() < 0.3]
        return {
            "create": made,
            "delete": ended,
            "update": [{"_id": id_, "text": f"now {number}"} for id_ in changed],
        }

    def seen(self) -> list[Any]:
        """Return what a clerk sees of the past, and what becomes of restoring it, again and again."""
        found = [self.archive.version(self.id, second, SHOWN) for second in range(LENGTH + 2)]
        for second in self._chance.sample(range(1, LENGTH + 1), 4):
            for force in (False, True):
                request = self.archive.restoration(self.id, second, SHOWN, force=force)
                body = self.archive.body(request, CLERK)
                found.append(re.sub(r"id\d+", "?", str(body)))
                found.append(self.archive.get("Dossier", self.id, SHOWN, CLERK))
        return found

    def hidden_seals(self) -> set[str]:
        """Return the hidden seals that there are."""
        there = self.archive.get("Dossier", self.id, "seals { items { _id text } }", ADMINISTRATOR)
        return {
            each["_id"]
            for each in (there or {}).get("seals", {}).get("items", ())
            if each["text"] == "hidden"
        }


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(count(6, 500)))
def test_it_depends_on_nothing_that_is_hidden(seed: int) -> None:
    one, other = (Story(seed, is_other=is_other) for is_other in (False, True))
    assert one.seen() == other.seen()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(count(3, 200)))
def test_it_leaves_what_is_hidden_alone(seed: int) -> None:
    """While the whole is there: what goes with it comes back with it as it was."""
    story = Story(seed, is_other=False)
    before = story.hidden_seals()
    is_there = story.archive.get("Dossier", story.id, "_id") is not None
    story.seen()
    assert not is_there or story.hidden_seals() == before
