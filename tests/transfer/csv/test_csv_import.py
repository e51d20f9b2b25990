"""An import checks all rows before it writes, and writes each row once, however often it is interrupted."""

import itertools
import os
from math import ceil
from pathlib import Path
from random import Random

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.write.commands import Delete
from stratabase.core.operations.write.services import delete
from stratabase.core.store.engine.port import Batch
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.transfer.csv import csv_import
from stratabase.transfer.csv.cells import CellFormats
from stratabase.transfer.csv.csv_file import CsvFile, UnreadableFile
from stratabase.transfer.csv.csv_import import (
    ROWS_PER_CHECK,
    AlreadyImported,
    ImportOptions,
    ImportRuns,
    RowRefused,
)
from stratabase.transfer.csv.issues import RefusedRowsFile
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import verbatim
from tests.contract.engine.dynamodb import over_ministack
from tests.soak import count, seed
from tests.transfer.csv.shop import CONSOLE, Shop

SKIPPING = ImportOptions(skips_invalid=True)
HALT = 3


def test_all_types_of_values_are_imported(shop: Shop) -> None:
    shop.add("Owner", email="ada@example.com", first="Ada", last="L")
    shop.add("Cage", code=7)
    cells = CellFormats(Formats(date_format="dd/MM/yyyy", time_format="HH:mm", time_zone="Europe/Rome"), ",")
    file = shop.file(
        "name,tag,age,price,born,fed,tame,kind,owner.first,owner.last,cage\n"
        '\'=Rex,t1,3,"1234,5",31/01/2020,31/01/2020 10:30,YES,DOG,Ada,L,7\n'
        "Kit,,,,,,,,,,\n"
    )
    assert shop.run(file, cells=cells).created == 2
    rex, kit = sorted(shop.objects(), key=lambda state: str(state["name"]))
    assert {name: rex[name] for name in ("tag", "age", "price", "born", "fed", "tame", "kind")} == {
        "tag": "t1",
        "age": 3,
        "price": "1234.5",
        "born": "2020-01-31",
        "fed": "2020-01-31T09:30:00.000Z",
        "tame": True,
        "kind": "DOG",
    }
    (owner,), (cage,) = shop.objects("Owner"), shop.objects("Cage")
    assert (rex["owner"], rex["cage"]) == (owner["_id"], cage["_id"])
    assert (kit["age"], kit.get("tag"), kit.get("owner")) == (
        1,
        None,
        None,
    )  # 1 is the default
    assert sorted(shop.values("number")) == [1, 2]


@pytest.mark.parametrize(
    ("rows", "issues"),
    [
        ("name,age\nA,x", ['line 2, column "age": Pet.age: "x" is not an Int']),
        ("name,age\nA,-1\n\nB,-2", ["line 2", "line 4"]),
        ('name,age\n"A\n",-1\nB,-2', ["line 2", "line 4"]),
        ("name\n" + "A" * 21, ['line 2, column "name": Pet.name']),
        ("name,tag\n,t", ['line 2, column "name": Pet.name is required']),
        ("name,tag\nA,t\nB,t", ['line 3, column "tag": Line 2 has the same value of tag.']),
        ("name,tag\nA,taken", ['line 2, column "tag": Another Pet already has']),
        ("name,born\nA,2020-01-01\nA,2020-01-01", ['line 3, column "name, born": Line 2 has the same value']),
        (
            "name,owner.email\nA,no@example.com",
            ['line 2, column "owner.email": There is no Owner'],
        ),
        ("name,cage\nA,1\nB,1", ['line 3, column "cage": Line 2 has the same cage']),
        ("name,cage\nA,x", ['line 2, column "cage"']),
        ("name,age\nA", ["line 2: The row has 1 cell, but the header has 2."]),
        ("name,age\nA,1,,\nB,1,2", ["line 3: The row has 3 cells"]),
        ("name,born\nA,03/04/2020", ['line 2, column "born": Pet.born: "03/04/2020" is not a valid Date']),
        (
            "name,tame\nA,WAHR",
            ['line 2, column "tame": "WAHR" is not a valid Boolean. Use true, yes or 1, or'],
        ),
    ],
)
def test_an_issue_names_line_column_and_reason(shop: Shop, rows: str, issues: list[str]) -> None:
    shop.add("Pet", name="Old", tag="taken")
    shop.add("Cage", code=1)
    found = shop.issues(shop.file(rows))
    assert len(found) == len(issues)
    assert all(text.startswith(start) for text, start in zip(found, issues, strict=True)), found
    assert len(shop.objects()) == 1


@pytest.mark.parametrize(
    ("column", "cell", "option"),
    [
        ("born", "31/12/2020", "--date-format, such as dd/MM/yyyy"),
        ("fed", "31.12.2020 18:30", "--date-format and --time-format"),
        ("price", "1,50", "--decimal and --thousands"),
        ("age", "1.000", "--decimal and --thousands"),
        ("age", "-1", None),
        ("kind", "BIRD", None),
        ("price", "much", None),
    ],
)
def test_an_issue_names_the_option_that_tells_the_format_of_cells(
    shop: Shop, column: str, cell: str, option: str | None
) -> None:
    (issue,) = shop.issues(shop.file(f'name,{column}\nA,"{cell}"\n'))
    assert option in issue if option else "--" not in issue


def test_texts_that_mean_no_value_count_as_empty_cells(shop: Shop) -> None:
    shop.add("Owner", email="ada@example.com")
    cells = CellFormats(nulls=frozenset({"NULL", "\\N"}))
    file = shop.file(
        "name,tag,age,born,owner.email\nA,NULL, NULL ,\\N,NULL\nB,null,2,2020-01-31,ada@example.com\n"
    )
    assert shop.run(file, cells=cells).created == 2
    assert shop.values("tag") == [None, "null"]
    assert shop.values("age") == [1, 2]  # 1 is the default
    assert shop.values("born") == [None, "2020-01-31"]
    assert shop.issues(shop.file("name\nNULL\n"), cells=cells) == [
        'line 2, column "name": Pet.name is required.'
    ]


def test_the_rows_that_are_left_out_keep_their_cells(shop: Shop, tmp_path: Path) -> None:
    cells = CellFormats(nulls=frozenset({"NULL"}))
    file = shop.file("name,tag,age\nA,NULL,x\n")
    with RefusedRowsFile(tmp_path / "refused.csv") as written:
        written.write(CsvFile(file), shop.check(file, cells=cells).refused)
    assert (tmp_path / "refused.csv").read_text().endswith(",A,NULL,x\n")


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["NULL", "NULL", ""], [("label", ["NULL"], 2)]),
        (["\\N", "a"], [("label", ["\\N"], 1)]),
        (["NA", "NULL"], [("label", ["NA", "NULL"], 2)]),
        (["NA", "IT"], []),
        (["null", "Null", "none"], []),
        (["", ""], []),
    ],
)
def test_texts_that_probably_mean_no_value_are_noticed(
    shop: Shop, labels: list[str], found: list[tuple[str, list[str], int]]
) -> None:
    rows = [f"Shelf {number},{text}" for number, text in enumerate(labels)]
    checked = shop.check(shop.file("\n".join(["name,label", *rows])), "Shelf")
    assert [tuple(each) for each in checked.null_texts] == found


@pytest.mark.parametrize(
    ("column", "cell", "option"),
    [
        ("age", "NULL", "use --null NULL."),
        ("born", "\\N", "use --null '\\N'."),
        ("tame", "NA", "use --null NA."),
        ("kind", "NULL", "use --null NULL."),
        ("owner.email", "NULL", "use --null NULL."),
        ("price", "N/A", "use --null N/A."),
    ],
)
def test_an_issue_names_the_option_for_texts_that_mean_no_value(
    shop: Shop, column: str, cell: str, option: str
) -> None:
    (issue,) = shop.issues(shop.file(f"name,{column}\nA,{cell}\n"))
    assert issue.endswith(f"If it means that there is no value, {option}")


def test_the_check_of_an_update_counts_what_it_would_do(shop: Shop) -> None:
    for tag in "ab":
        shop.add("Pet", name=f"Old {tag}", tag=tag)
    checked = shop.check(shop.file("name,tag\nNew,a\nOld b,b\nC,c\nD,d\n,e\n"), update_by="tag")
    assert checked.effects == {"created": 2, "updated": 1, "unchanged": 1}


def test_the_progress_of_the_check_counts_lines_as_its_total_does(shop: Shop) -> None:
    file, reached = shop.file("name\n" + '"A\nB"\n' * 200), list[int]()
    shop.prepare(file).check(reached.append)
    assert CsvFile(file).lines == 401
    assert 300 <= sum(reached) <= 401


def test_a_row_that_is_refused_takes_no_value_from_others(shop: Shop) -> None:
    checked = shop.check(shop.file("name,tag,age\nA,t,-1\nB,t,1\n"))
    assert (list(checked.refused), checked.to_write) == ([0], 1)


def test_warnings_stop_an_import_unless_they_are_forced(shop: Shop) -> None:
    file = shop.file("text\nshort\nmuch longer\n")
    assert shop.issues(file, "Note") == ["line 3: Warning: Too long."]
    assert shop.run(file, "Note", options=ImportOptions(forces_warnings=True)).created == 2


def test_locked_objects_are_not_updated(shop: Shop) -> None:
    id_ = shop.add("Pet", name="A", tag="t")
    now = shop.services.clock.now()
    shop.services.entities.lock("c", [Reference("Pet", id_)], Lock("m", "ada", now + 60_000), now)
    (issue,) = shop.issues(shop.file("name,tag\nB,t\n"), update_by="tag")
    assert issue.startswith("line 2: ")
    assert "locked" in issue
    assert issue.endswith(f'(Pet "{id_}": "t")')


def test_an_issue_names_the_object_of_its_row_by_its_label(shop: Shop) -> None:
    labelled = shop.add("Pet", name="a", tag="t")
    strange = shop.add("Pet", name="b", tag="two\nlines\x1b[31m")
    # A new object has no id yet, and an object without a label only its id.
    unlabelled = shop.add("Pet", name="c")
    rows = f"_id,name,age\n{labelled},a,-1\n{strange},b,-1\n{unlabelled},c,-2\nnone,d,-3\n"
    first, other, second, third = shop.issues(shop.file(rows), update_by="_id")
    assert other.endswith(rf'(Pet "{strange}": "two\nlines\u001b[31m")')
    assert first.endswith(f'(Pet "{labelled}": "t")')
    assert not second.endswith(")")
    assert not third.endswith(")")
    (new,) = shop.issues(shop.file("name,age\ne,-1\n"))
    assert not new.endswith(")")


def test_a_row_that_is_refused_when_it_is_written_names_its_object(shop: Shop) -> None:
    id_ = shop.add("Pet", name="A", tag="t")
    import_ = shop.prepare(shop.file("name,tag\nB,t\n"), update_by="tag")
    record, _ = import_.check(lambda _: None)
    now = shop.services.clock.now()
    shop.services.entities.lock("c", [Reference("Pet", id_)], Lock("m", "ada", now + 60_000), now)
    with pytest.raises(RowRefused) as refused:
        import_.write(record, lambda _: None)
    (issue,) = refused.value.issues
    assert issue.reason.endswith(f'(Pet "{id_}": "t")')


def test_500_wrong_rows_are_found_and_left_out(shop: Shop, tmp_path: Path) -> None:
    wrong = set(Random(seed()).sample(range(count(1_500, 5_000)), 500))
    rows = [f"Pet {row},tag {row},{-1 if row in wrong else row}" for row in range(count(1_500, 5_000))]
    file = shop.file("\n".join(["name,tag,age", *rows]))
    checked = shop.check(file)
    assert checked.refused.keys() == wrong
    assert (checked.issues.count, len(checked.issues.first)) == (500, 100)
    assert [issue.line for issue in checked.issues.first] == [row + 2 for row in sorted(wrong)[:100]]
    import_ = shop.prepare(file, options=SKIPPING)
    record, checked = import_.check(lambda _: None)
    assert import_.write(record, lambda _: None).created == len(rows) - 500
    refused = tmp_path / "refused.csv"
    with RefusedRowsFile(refused) as written:
        written.write(CsvFile(file), checked.refused)
    corrected = shop.file(refused.read_text().replace(",-1\n", ",5\n"), "corrected.csv")
    assert shop.run(corrected).created == 500
    assert sorted(shop.values("tag")) == sorted(f"tag {row}" for row in range(len(rows)))


def test_the_issues_of_a_row_are_in_the_order_of_its_columns(shop: Shop) -> None:
    issues = shop.issues(shop.file("tame,age,owner.email,name,born\nx,x,x,,x\n"))
    assert [issue.split('"')[1] for issue in issues] == ["tame", "age", "owner.email", "name", "born"]


def test_a_row_with_another_number_of_cells_stays_wrong_until_it_is_corrected(
    shop: Shop, tmp_path: Path
) -> None:
    file = shop.file("name,age,tag\nA,1\nB,1,b,x\n")
    refused = tmp_path / "refused.csv"
    with RefusedRowsFile(refused) as written:
        written.write(CsvFile(file), shop.check(file).refused)
    assert refused.read_text().splitlines() == [
        "_line,_reason,name,age,tag",
        '2,"The row has 2 cells, but the header has 3.",A,1',
        '3,"The row has 4 cells, but the header has 3.",B,1,b,x',
    ]
    assert shop.check(refused).refused.keys() == {0, 1}
    corrected = shop.file(refused.read_text().replace("A,1", "A,1,").replace("b,x", "b"), "corrected.csv")
    assert shop.run(corrected).created == 2


@pytest.mark.parametrize("has_links", [True, False])
def test_two_imports_with_the_same_file_of_refused_rows_lose_none(
    has_links: bool, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: object) -> None:
        raise PermissionError

    if not has_links:
        monkeypatch.setattr(os, "link", no_link)
    files = [CsvFile(shop.file(f"name\n{name}\n", f"{name}.csv")) for name in ("first", "second")]
    target = tmp_path / "refused.csv"
    with RefusedRowsFile(target) as one, RefusedRowsFile(target) as other:
        with RefusedRowsFile(target):
            pass  # a third one that refuses no row
        one.write(files[0], {0: "Why"})
        with pytest.raises(FileExistsError):
            other.write(files[1], {0: "Why"})
    assert target.read_text() == "_line,_reason,name\n2,Why,first\n"
    assert not [*tmp_path.glob("*.part")]


def test_rows_update_the_object_with_the_same_value(shop: Shop) -> None:
    owner = shop.add("Owner", email="o@example.com")
    ids = [shop.add("Pet", name=f"Old {tag}", tag=tag, age=5) for tag in "ab"]
    file = shop.file("name,tag,age,owner.email\nNew a,a,,o@example.com\nNew c,c,7,\nOld b,b,,\n")
    record = shop.run(file, update_by="tag")
    assert (record.created, record.updated, record.unchanged) == (1, 1, 1)
    by_tag = {state["tag"]: state for state in shop.objects()}
    assert [by_tag[tag]["_id"] for tag in "ab"] == ids
    assert (by_tag["a"]["name"], by_tag["a"]["age"], by_tag["a"]["owner"]) == ("New a", 5, owner)
    again = shop.run(file, update_by="tag")
    assert (again.created, again.updated, again.unchanged) == (0, 0, 3)


def test_empty_cells_can_clear_values(shop: Shop) -> None:
    owner = shop.add("Owner", email="o@example.com")
    id_ = shop.add("Pet", name="A", tag="a", age=5)
    rows = f"_id,name,age,owner._id\n{id_},A,,{owner}\n"
    shop.run(shop.file(rows), update_by="_id", options=ImportOptions(clears=True))
    assert (shop.values("age"), shop.values("owner")) == ([None], [owner])
    shop.run(shop.file(rows.replace(owner, "")), update_by="_id", options=ImportOptions(clears=True))
    assert shop.values("owner") == [None]


def test_an_update_by_id_needs_its_object(shop: Shop) -> None:
    (issue,) = shop.issues(shop.file("_id,name\nnone,A\n"), update_by="_id")
    assert issue.startswith("line 2")
    (issue,) = shop.issues(shop.file("_id,name\n,A\n"), update_by="_id")
    assert 'column "_id": The cell is empty' in issue


def test_two_rows_for_the_same_object_are_refused(shop: Shop) -> None:
    id_ = shop.add("Pet", name="A")
    (issue,) = shop.issues(shop.file(f"_id,name\n{id_},B\n{id_},C\n"), update_by="_id")
    assert issue == "line 3: Line 2 has the same object."


def test_a_file_is_imported_once_unless_the_user_wants_it_again(shop: Shop) -> None:
    file = shop.file("text\none\ntwo\n")
    shop.run(file, "Note")
    with pytest.raises(AlreadyImported) as imported:
        shop.run(file, "Note")
    assert imported.value.record.created == 2
    shop.run(file, "Note", again=True)
    assert sorted(shop.values("text", "Note")) == ["one", "one", "two", "two"]
    with pytest.raises(AlreadyImported):
        shop.run(file, "Note")


class Halt(Exception):
    """The process ends here."""


@pytest.mark.soak
def test_an_interrupted_import_goes_on_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, rows = Random(seed()), 120
    for number in range(count(4, 60)):
        (folder := tmp_path / str(number)).mkdir()
        monkeypatch.setattr(csv_import, "_SAVE_INTERVAL", random.choice([0, 0, 1000]))
        engine = SqliteEngine(folder / "objects.db")
        shop = Shop(engine, folder, at_once=random.randint(1, 30))
        wrong = set(random.sample(range(rows), 15))
        text = "\n".join(["text", *("much too long" if row in wrong else f"n{row}" for row in range(rows))])
        file, runs = shop.file(text), itertools.count()
        while True:
            steps = itertools.count()
            last = random.randint(1, 2 * rows)

            def interrupt(steps: "itertools.count[int]" = steps, last: int = last) -> None:
                if next(steps) == last:
                    raise Halt

            import_ = shop.prepare(file, "Note", options=SKIPPING, interrupt=interrupt)
            try:
                record, checked = import_.check(lambda _: None)
                import_.write(record, lambda _: None)
            except Halt:
                if next(runs) == HALT:
                    shop.services.entities.set_checkpoint("unrelated", "x")
                continue
            except AlreadyImported:
                break
            assert checked.refused.keys() == wrong
        expected = sorted(f"n{row}" for row in range(rows) if row not in wrong)
        assert sorted(shop.values("text", "Note")) == expected
        engine.close()


def test_what_was_deleted_meanwhile_does_not_come_back(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_import, "_SAVE_INTERVAL", 0)
    file = shop.file("text\n" + "\n".join(f"n{row}" for row in range(60)))
    steps = itertools.count()

    def interrupt() -> None:
        if next(steps) == ceil(60 / ROWS_PER_CHECK) + 2 * 40:  # the record is saved after each row
            raise Halt

    with pytest.raises(Halt):
        shop.run(file, "Note", interrupt=interrupt)
    first = next(state for state in shop.objects("Note") if state["text"] == "n0")
    delete(shop.services, Delete(Reference("Note", str(first["_id"]))), CONSOLE)
    shop.run(file, "Note")
    assert sorted(shop.values("text", "Note")) == sorted(f"n{row}" for row in range(1, 60))


def test_what_was_deleted_since_the_record_was_saved_does_not_come_back(shop: Shop) -> None:
    file = shop.file("name\n" + "\n".join(f"n{row}" for row in range(40)))
    steps = itertools.count()

    def interrupt() -> None:
        if next(steps) == ceil(40 / ROWS_PER_CHECK) + 20:
            raise Halt

    import_ = shop.prepare(file, interrupt=interrupt)
    record, _ = import_.check(lambda _: None)
    with pytest.raises(Halt):
        import_.write(record, lambda _: None)
    shop.services.entities.set_checkpoint(import_._records._work, None)
    import_._records.begin(record)  # as after a crash before the record was saved again
    first = next(state for state in shop.objects() if state["name"] == "n0")
    delete(shop.services, Delete(Reference("Pet", str(first["_id"]))), CONSOLE)
    assert shop.run(file).ended is not None
    assert sorted(shop.values("name")) == sorted(f"n{row}" for row in range(1, 40))


def test_a_row_that_others_made_invalid_stops_the_import(shop: Shop) -> None:
    file = shop.file("name,tag\nA,a\nB,b\nC,c\n")
    import_ = shop.prepare(file)
    record, _ = import_.check(lambda _: None)
    shop.add("Pet", name="Other", tag="b")
    with pytest.raises(RowRefused) as refused:
        import_.write(record, lambda _: None)
    assert [issue.line for issue in refused.value.issues] == [3]
    import_ = shop.prepare(file, options=SKIPPING)
    record, checked = import_.check(lambda _: None)
    assert checked.went_on
    assert checked.refused.keys() == {1}
    import_.write(record, lambda _: None)
    assert sorted(shop.values("name")) == ["A", "C", "Other"]


def test_two_processes_can_not_import_the_same_file_twice(shop: Shop) -> None:
    file = shop.file("text\none\n")
    imports = [shop.prepare(file, "Note") for _ in range(2)]
    records = [import_.check(lambda _: None)[0] for import_ in imports]
    imports[0].write(records[0], lambda _: None)
    with pytest.raises(ImportRuns):
        imports[1].write(records[1], lambda _: None)
    assert shop.values("text", "Note") == ["one"]


class BusyEngine(DelegatingEngine):
    """An engine that is too busy for some commits, before or after it has done them."""

    def __init__(self, engine: SqliteEngine, random: Random) -> None:
        super().__init__(engine)
        self._random = random

    def commit(self, batch: Batch) -> None:
        if self._random.random() < 0.2:
            raise Unavailable(verbatim("busy"))
        super().commit(batch)
        if self._random.random() < 0.2:
            raise Unavailable(verbatim("lost"), may_have_written=True)


def test_a_busy_store_gets_each_row_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_import, "_FIRST_PAUSE", 0)
    engine = SqliteEngine(tmp_path / "objects.db")
    busy = BusyEngine(engine, Random(seed()))
    shop = Shop(busy, tmp_path, at_once=10)
    file = shop.file("text\n" + "\n".join(f"n{row}" for row in range(60)))
    while True:
        try:
            shop.run(file, "Note")
        except Unavailable:  # the record itself was not stored
            continue
        except AlreadyImported:
            break
    assert sorted(shop.values("text", "Note")) == sorted(f"n{row}" for row in range(60))
    engine.close()


def test_a_file_that_changed_after_the_check_is_not_written(shop: Shop) -> None:
    file = shop.file("text\none\n")
    import_ = shop.prepare(file, "Note")
    record, _ = import_.check(lambda _: None)
    shop.file("text\none\ntwo\n")
    with pytest.raises(UnreadableFile, match="has changed"):
        import_.write(record, lambda _: None)
    assert shop.objects("Note") == []


def test_an_import_into_dynamodb_is_the_same(tmp_path: Path) -> None:
    table = over_ministack()
    shop = Shop(table, tmp_path, at_once=16)
    shop.add("Owner", email="ada@example.com")
    rows = [f"Pet {row},tag {row},{row},ada@example.com" for row in range(count(60, 3_000))]
    file = shop.file("\n".join(["name,tag,age,owner.email", *rows]))
    steps = itertools.count()

    def interrupt() -> None:
        if next(steps) == ceil(len(rows) / ROWS_PER_CHECK) + 30:
            raise Halt

    with pytest.raises(Halt):
        shop.run(file, interrupt=interrupt)
    shop.run(file)
    assert sorted(shop.values("tag")) == sorted(f"tag {row}" for row in range(len(rows)))
    assert len(shop.issues(shop.file(f"name,tag\nNew,tag 1\nOther,tag {len(rows)}\n", "more.csv"))) == 1
    table.close()


def test_the_same_value_of_two_constraints_is_no_repetition(shop: Shop) -> None:
    rows = "code,name\na,b\nb,a\na,c\n"
    issues = shop.issues(shop.file(rows), "Shelf")
    assert issues == ['line 4, column "code": Line 2 has the same value of code.']
