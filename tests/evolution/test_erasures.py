"""An erasure leaves nothing of an object, whenever it is interrupted, and whatever else is written."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import count as count_up
from pathlib import Path
from random import Random

import pytest

from stratabase.core.domain.issues.refusals import Conflicting, NotFound, Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create, PartsCommand, Update
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.operations.write.services import save
from stratabase.core.store.engine.port import ITEMS
from stratabase.core.store.layout import keys
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.core.store.sqlite.vacuum import vacuum
from stratabase.evolution.backfill import rewrite
from stratabase.evolution.erasure.begin import HOLD
from stratabase.evolution.erasure.erase import Erasures
from stratabase.evolution.erasure.erased_ids import read_erased
from tests import ministack
from tests.contract.engine.dynamodb import TemporaryTable, over_ministack
from tests.core.operations.files.file_scenario import ADA, MODEL, FileScenario
from tests.core.operations.files.interrupted_stores import (
    STORES,
    Calls,
    InterruptedBlobs,
    InterruptedEngine,
    Interruption,
    ProcessStopped,
)
from tests.core.store.stopping_engine import BusyEngine, Stopped, StoppingEngine
from tests.evolution.erasure_company import BOSS, MARK, Company
from tests.repository import ROOT
from tests.soak import FULL, count, seed

STORING = ("memory", "disk", "ministack")


@contextmanager
def company(kind: str, folder: Path) -> Iterator[Company]:
    """Yield an empty company over stores of a kind."""
    with STORES[kind](folder) as stores:
        file = next(iter(folder.rglob("store.db")), None)
        yield Company(stores.engine, stores.blobs, partial(vacuum, file) if file else None)


def erase(part: Erasures, reference: Reference) -> Reference:
    """Erase an object, and return it with its stored name."""
    root = part.begin(reference, BOSS)
    for _step in part.steps(root):
        pass
    return root


def others_with(found: list[str]) -> set[str]:
    """Return the partition of each item that was found, without the list of erased ids."""
    return {each for each in found if f"partition={keys.ERASED!r}" not in each}


@pytest.mark.parametrize("kind", STORING)
@pytest.mark.parametrize("deleted", [False, True], ids=["existing", "deleted"])
def test_nothing_is_left(kind: str, tmp_path: Path, *, deleted: bool) -> None:
    with company(kind, tmp_path) as it:
        reference = it.fill()
        if deleted:
            it.send(f'Person___delete(_id: "{reference.id}") {{ deleted }}')
        assert len(it.traces(MARK)) >= 10
        folded = {f"{MARK}Nick".lower(), f"{MARK}Alias".lower()}
        assert deleted or all(any(text in each for each in it.traces(text)) for text in folded)
        root = erase(it.erasures(), reference)
        receipt = it.erasures().receipt(root)
        it.sweep()  # the bytes of the upload, of which the object has taken a copy

        assert it.traces(MARK) == []
        (version,) = others_with(it.traces(reference.id))
        assert f"Person#{it.former}" in version
        assert receipt.is_complete
        assert receipt.referrers == [Reference("Person", it.former)]
        assert receipt.removed["objects"] == (1 if deleted else 5)
        assert {**receipt.removed, "objects": 0} == {
            "objects": 0,
            "versions": 4,
            "files": 1,
            "links": 2,
            "uniqueValues": 1,
            "references": 2,
            "answers": 6 if deleted else 5,
        }
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).lower()
    assert MARK.lower().encode() not in content
    assert (b"pupil" in content) == (kind == "disk")


def test_others_go_on_without_it(tmp_path: Path) -> None:
    with company("memory", tmp_path) as it:
        reference = it.fill()
        erase(it.erasures(), reference)

        assert it.ask(f'{{ Person___get(_id: "{reference.id}") {{ _id }} }}') == {"Person___get": None}
        pupil = it.ask(f'{{ Person___get(_id: "{it.pupil}") {{ mentor {{ _id }} _revision }} }}')
        assert pupil["Person___get"]["mentor"] is None
        # The unique values are free, and the guard of its team too.
        it.send(f'Team___update(data: {{_id: "{it.led}", lead: {{set: "{it.pupil}"}}}}) {{ _id }}')
        it.send(f'Person___update(data: {{_id: "{it.pupil}", email: "{MARK}@x.org"}}) {{ _id }}')


def test_an_erasure_whose_scans_always_find_something_is_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company("memory", tmp_path) as it:
        reference = it.fill()
        with monkeypatch.context() as patch:
            patch.setattr(rewrite, "MAX_SCANS", 1)  # the first scan finds what others have of the object
            with pytest.raises(Unavailable):
                erase(it.erasures(), reference)
            assert not it.erasures().receipt(reference).is_complete
        assert it.erasures().receipt(erase(it.erasures(), reference)).is_complete
        it.sweep()  # which removes the upload that the object had taken
        assert it.traces(MARK) == []


@pytest.mark.parametrize(
    ("field", "shown"),
    [("about", f"{MARK}About"), ("introduction", f"I am {MARK}Other ({MARK}@x.org)")],
    ids=["text", "derived text"],
)
def test_a_repeated_request_says_that_its_answer_is_erased(field: str, shown: str, tmp_path: Path) -> None:
    with company("memory", tmp_path) as it:
        reference = it.fill()
        query = f'Person___update(data: {{_id: "{it.pupil}", height: 3}}) {{ mentor {{ {field} }} }}'
        assert it.send(query) == {"mentor": {field: shown}}
        erase(it.erasures(), reference)

        answer = json.loads(it.repeat(query))
        assert answer["data"] == {"Person___update": None}
        assert "was erased since" in answer["errors"][0]["message"]


@pytest.mark.soak
@pytest.mark.parametrize("kind", STORING)
def test_an_interrupted_erasure_goes_on(kind: str, tmp_path: Path) -> None:
    random = Random(seed())
    (folder := tmp_path / "counting").mkdir()
    with company(kind, folder) as it:
        calls = Calls()
        erase(it.erasures(InterruptedEngine(it.engine, calls), InterruptedBlobs(it.blobs, calls)), it.fill())
    if FULL:  # each call, but of those to an emulator each third, from a random one on
        steps = list(
            range(random.randrange(3), calls.number, 3) if kind == "ministack" else range(calls.number)
        )
    else:
        steps = random.sample(range(calls.number), {"memory": 12, "disk": 6, "ministack": 3}[kind])
    for at in steps:
        (folder := tmp_path / str(at)).mkdir()
        with company(kind, folder) as it:
            reference = it.fill()
            how = random.choice(list(Interruption))
            calls = Calls()
            calls.interrupt(at, how)
            stores = InterruptedEngine(it.engine, calls), InterruptedBlobs(it.blobs, calls)
            with suppress(ProcessStopped, Unavailable):
                erase(it.erasures(*stores), reference)
            it.clock.instant += HOLD + 1
            it.sweep()
            # It was never begun, or the sweep has finished it, unless the process was stopped before the job.
            is_there = it.ask(f'{{ Person___get(_id: "{reference.id}") {{ _id }} }}')["Person___get"]
            assert bool(is_there) or not others_with(it.traces(MARK)), (at, how)
            assert bool(is_there) != bool(read_erased(it.engine)), (at, how)
            assert not is_there or [*it.engine.range(ITEMS, keys.ERASED)] in ([], [[]]), (at, how)

            root = erase(it.erasures(), reference)
            it.sweep()
            assert it.traces(MARK) == [], (at, how)
            assert it.erasures().receipt(root).is_complete
            assert it.traces("J#erasures") == []


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["disk", "ministack"])
def test_the_erasure_of_a_killed_process_goes_on(kind: str, tmp_path: Path) -> None:
    random = Random(seed())
    for number in range(count(1, 20)):
        with closing(over_ministack()) if kind == "ministack" else nullcontext() as table:
            (folder := tmp_path / f"{number}").mkdir()
            with open_company(folder, table) as it:
                reference, now = it.fill(), it.clock.instant
            place = [str(folder), str(ministack.endpoint().url) if table else "", table.name if table else ""]
            words = [*place, reference.id, str(random.randrange(20, 70)), str(now)]
            command = [sys.executable, "-m", "tests.evolution.killed_erasure", *words]
            killed = subprocess.run(command, cwd=ROOT, check=False)
            assert killed.returncode == -signal.SIGKILL
            with open_company(folder, table) as it:
                it.clock.instant = now + HOLD + 1
                it.sweep()
                it.clock.instant += 1
                erase(it.erasures(), reference)
                it.sweep()
                assert it.traces(MARK) == []


@contextmanager
def open_company(folder: Path, table: TemporaryTable | None) -> Iterator[Company]:
    """Yield the company in a folder, whose objects may be in a table."""
    with closing(FolderBlobs(folder / "files")) as blobs:
        if table:
            yield Company(table, blobs)
            return
        with closing(SqliteEngine(folder / "store.db")) as engine:
            yield Company(engine, blobs, partial(vacuum, folder / "store.db"))


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_concurrent_writes_bring_nothing_back(kind: str, tmp_path: Path) -> None:
    random = Random(seed())
    for at in sorted(random.sample(range(1, 40), count(8, 39))):
        (folder := tmp_path / str(at)).mkdir()
        with company(kind, folder) as it:
            reference = it.fill()
            writes = (
                f'Person___update(data: {{_id: "{reference.id}", about: "{MARK}Late"}}) {{ about }}',
                f'Person___update(data: {{_id: "{it.pupil}", mentor: {{set: "{reference.id}"}}}}) {{ _id }}',
                f'Team___update(data: {{_id: "{it.led}", lead: {{set: "{reference.id}"}}}}) {{ _id }}',
            )

            def meanwhile(it: Company = it, writes: tuple[str, ...] = writes) -> None:
                for write in writes:
                    it.try_to_send(write)

            erase(it.erasures(BusyEngine(it.engine, at, meanwhile)), reference)
            it.sweep()
            assert it.traces(MARK) == [], at
            for write in writes:
                it.try_to_send(write)
            assert it.traces(MARK) == [], at


def test_a_repeated_beginning_keeps_what_the_first_one_knew(tmp_path: Path) -> None:
    stopped = True
    for at in count_up(1):
        with company("memory", tmp_path) as it:
            it.fill()
            id_ = it.send(f'Team___create(data: {{name: "{MARK}Team"}}) {{ name _id }}')["_id"]
            it.send(f'Team___update(data: {{_id: "{id_}", name: "zzLeft"}}) {{ name }}')
            team, stopped = Reference("Team", id_), False
            try:
                it.erasures(StoppingEngine(it.engine, at)).begin(team, BOSS)
            except Stopped:
                stopped = True
            erase(it.erasures(), team)
            assert it.traces("zzLeft") == [], at
        if not stopped:
            break
    assert at >= 4


def test_a_part_that_is_created_during_the_beginning_is_on_the_list() -> None:
    late = 0
    for at in range(1, 6):
        scenario = FileScenario()
        album = scenario.create("Album").reference

        def add_page(it: FileScenario = scenario, of: Reference = album) -> None:
            nonlocal late
            with suppress(Refused):
                save(it.services, Update(of, roles={"pages": PartsCommand(create=(Create("Page"),))}), ADA)
                late += 1

        part = Erasures(scenario.services, MODEL, BusyEngine(scenario.engine, at, add_page), scenario.files)
        part.begin(album, ADA)
        pages = {
            keys.reference_of(item.key)
            for page in scenario.engine.scan()
            for item in page
            if item.key.partition.startswith("Page#") and keys.is_in_object(item.key)
        }
        assert pages <= {entry.reference for entry in read_erased(scenario.engine)}, at
    assert late


def test_a_concurrent_restoration_is_deleted_again() -> None:
    restored = 0
    for at in range(1, 30):
        scenario = FileScenario()
        album = scenario.create("Album", cover=scenario.upload(MARK.encode(), "cover", "Album"))
        add_page = Update(album.reference, roles={"pages": PartsCommand(create=(Create("Page"),))})
        save(scenario.services, add_page, ADA)
        reference, start = album.reference, scenario.clock.instant

        def restore(it: FileScenario = scenario, of: Reference = reference, at: int = start) -> None:
            nonlocal restored
            it.clock.instant += 10
            is_deleted = it.services.entities.read([of]) == [None]
            with suppress(Refused):
                it.restore(of, at)
                restored += is_deleted

        engine = BusyEngine(scenario.engine, at, restore)
        erase(Erasures(scenario.services, MODEL, engine, scenario.files), reference)
        restore()
        scenario.sweep()
        left = [item.key for page in scenario.engine.scan() for item in page]
        assert {key.partition for key in left} <= {keys.ERASED, "META"}, at
        assert scenario.stored_keys() == set()
    assert restored


def test_what_may_not_be_deleted_is_not_erased(tmp_path: Path) -> None:
    with company("memory", tmp_path) as it:
        reference, part = it.fill(), it.erasures()
        before = it.traces("")
        with pytest.raises(Conflicting, match="Team"):  # people must have a team
            part.begin(Reference("Team", it.team), BOSS)
        (phone, *_rest) = it.ask(f'{{ Person___get(_id: "{it.pupil}") {{ phones {{ items {{ _id }} }} }} }}')[
            "Person___get"
        ]["phones"]["items"]
        with pytest.raises(Conflicting, match="requires at least one Phone"):
            part.begin(Reference("Phone", phone["_id"]), BOSS)
        with pytest.raises(Conflicting, match="always exists"):
            part.begin(Reference("House", "1"), BOSS)
        for name in ("Complaint", "_User", "Nothing"):
            with pytest.raises(NotFound, match=f"no class {name}"):
                part.begin(Reference(name, "1"), BOSS)
        for id_ in ("nothing", "", "x" * 5000, "\ud800", "#"):
            with pytest.raises(NotFound, match="has nothing of Person"):
                part.begin(Reference("Person", id_), BOSS)
            with pytest.raises(NotFound, match="has nothing of Team"):
                part.begin(Reference("Team", id_), BOSS)
        assert it.traces("") == before

        it.send(f'lock(locks: [{{entityName: Person, _id: "{reference.id}"}}], minutes: 5) {{ locked }}')
        with pytest.raises(Conflicting, match="is locked by boss"):
            part.begin(reference, replace(BOSS, id="m2"))
        erase(part, reference)  # one's own lock is no obstacle


def test_a_part_is_erased_alone(tmp_path: Path) -> None:
    with company("memory", tmp_path) as it:
        person = it.fill()
        phones = it.ask(f'{{ Person___get(_id: "{person.id}") {{ phones {{ items {{ _id digits }} }} }} }}')
        second, third = phones["Person___get"]["phones"]["items"]
        part = it.erasures()
        receipt = part.receipt(erase(part, Reference("Phone", second["_id"])))

        assert receipt.referrers == [person]
        assert it.traces(second["digits"]) == []
        phones = it.ask(f'{{ Person___get(_id: "{person.id}") {{ phones {{ items {{ _id digits }} }} }} }}')
        assert phones["Person___get"]["phones"]["items"] == [third]


def test_an_object_without_versions_is_erased_before_and_after_its_deletion(tmp_path: Path) -> None:
    for deleted in (False, True):
        (folder := tmp_path / str(deleted)).mkdir()
        with company("disk", folder) as it:
            it.fill()
            id_ = it.send(f'Team___create(data: {{name: "{MARK}Team"}}) {{ name _id }}')["_id"]
            if deleted:
                it.send(f'Team___delete(_id: "{id_}") {{ deleted }}')
            part = it.erasures()
            receipt = part.receipt(erase(part, Reference("Team", id_)))
            assert receipt.removed == {"answers": 1, **({} if deleted else {"objects": 1})}
            assert others_with(it.traces(id_)) == set()
            assert it.traces(f"{MARK}Team") == []


def test_an_object_whose_erasure_is_done_is_not_erased_again(tmp_path: Path) -> None:
    with company("memory", tmp_path) as it:
        reference, part = it.fill(), it.erasures()
        root = erase(part, reference)
        before, items = part.receipt(root), it.traces("")
        assert part.receipt(erase(part, reference)) == before
        assert it.traces("") == items
