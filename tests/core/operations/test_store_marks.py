"""Stores get their marks, also after a crash between two of them, and restored stores are adopted."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stratabase.core.domain.store_mark import (
    LayoutRange,
    StoreKind,
    StoreMark,
    StoreRefused,
    StoreRequirements,
)
from stratabase.core.operations.store_marks import (
    MarkedStore,
    adopt_stores,
    check_marks,
    describe_older_stores,
    mark_stores,
    plan_adoption,
    retire_source,
)
from tests.rows import each_row


class Crash(Exception):
    """The process stops."""


class DictMark:
    """A mark in memory. `before_write` runs before each write."""

    def __init__(self, mark: StoreMark | None = None, *, has_content: bool = False) -> None:
        self.mark = mark
        self.has_content = has_content
        self.writes = 0
        self.before_write: Callable[[], None] = lambda: None

    @property
    def content(self) -> "DictMark":
        return self

    def read_mark(self) -> StoreMark | None:
        return self.mark

    def is_new(self) -> bool:
        return not self.has_content

    def write_mark(self, mark: StoreMark, before: StoreMark | None) -> bool:
        self.before_write()
        if self.mark != before:
            return False
        self.mark, self.writes = mark, self.writes + 1
        return True


def stores(*marks: DictMark, instance: str | None = None, newest: int = 1) -> tuple[MarkedStore, ...]:
    layouts = LayoutRange(1, newest)
    return tuple(
        MarkedStore(mark, StoreRequirements(kind, kind.value, "SETTING", instance, layouts))
        for mark, kind in zip(marks, StoreKind, strict=False)
    )


def owners(*marks: DictMark) -> list[str | None]:
    return [None if mark.mark is None else mark.mark.instance for mark in marks]


def test_new_stores_get_one_id_and_keep_it() -> None:
    marks = [DictMark(), DictMark(), DictMark()]
    instance = mark_stores(stores(*marks))
    assert owners(*marks) == [instance] * 3
    assert [mark.mark and mark.mark.place for mark in marks] == ["objects", "members", "files"]
    assert mark_stores(stores(*marks)) == instance == check_marks(stores(*marks))
    assert [mark.writes for mark in marks] == [1, 1, 1]


def test_older_stores_are_described() -> None:
    mark = StoreMark(StoreKind.MEMBERS, "prod", "members")
    opened = stores(DictMark(has_content=True), DictMark(mark), DictMark(), newest=2)

    assert list(describe_older_stores(opened)) == [
        "The store of objects 'objects' is of a version that wrote no marks. It gets one, with layout 1.",
        (
            "The store of members 'members' has layout 1. This version uses it as it is. When no older "
            "version uses the store any more, raise it to layout 2: stratabase store upgrade"
        ),
    ]
    mark_stores(opened)
    assert [line[:35] for line in describe_older_stores(opened)] == [
        "The store of objects 'objects' has ",
        "The store of members 'members' has ",
    ]
    assert not list(describe_older_stores(stores(DictMark(), DictMark(mark))))


def test_the_id_in_the_settings_counts() -> None:
    marks = [DictMark(), DictMark()]
    assert mark_stores(stores(*marks, instance="prod")) == "prod"
    assert owners(*marks) == ["prod", "prod"]


@each_row("written", [0, 1, 2])
def test_after_a_crash_between_two_marks_the_next_start_continues(written: int) -> None:
    marks = [DictMark(), DictMark(), DictMark()]

    def crash() -> None:
        raise Crash

    marks[written].before_write = crash
    with pytest.raises(Crash):
        mark_stores(stores(*marks))
    first = owners(*marks)[:written]
    marks[written].before_write = lambda: None
    instance = mark_stores(stores(*marks))
    assert owners(*marks) == [instance] * 3
    assert set(first) <= {instance}


def test_of_two_processes_that_start_at_once_the_first_mark_decides() -> None:
    marks = [DictMark(), DictMark()]

    def other_process() -> None:
        marks[0].before_write = lambda: None
        mark_stores(stores(*marks))

    marks[0].before_write = other_process
    instance = mark_stores(stores(*marks))
    assert owners(*marks) == [instance, instance]


def test_stores_of_two_instances_are_refused_before_anything_is_written() -> None:
    marks = [DictMark(), DictMark(StoreMark(StoreKind.MEMBERS, "a", "members")), DictMark()]
    marks[2].mark = StoreMark(StoreKind.FILES, "b", "files")
    with pytest.raises(StoreRefused, match="store of files 'files' belongs to the instance b"):
        mark_stores(stores(*marks))
    assert marks[0].mark is None


def test_content_without_a_mark_has_the_first_layout_and_a_new_store_the_newest() -> None:
    marks = [DictMark(has_content=True), DictMark()]
    mark_stores(stores(*marks, newest=3))
    assert [mark.mark and mark.mark.layout for mark in marks] == [1, 3]


def test_a_restored_store_is_adopted_and_its_source_retired() -> None:
    source, members = DictMark(), DictMark()
    instance = mark_stores(stores(source, members))
    assert source.mark is not None
    restored = DictMark(replace(source.mark, place="the original"))
    with pytest.raises(StoreRefused, match="is a copy of 'the original'"):
        mark_stores(stores(restored, members))

    (adoption,) = plan_adoption(stores(restored, members), None)
    assert any("a copy of 'the original'" in line for line in adoption.lines())
    assert retire_source(source, adoption.after)
    adopt_stores([adoption])

    assert mark_stores(stores(restored, members)) == instance
    assert source.mark.replaced_by == "objects"
    assert retire_source(source, adoption.after)  # once more, after a crash
    assert plan_adoption(stores(restored, members), None) == []


def test_a_foreign_store_is_adopted_by_the_instance_in_the_settings() -> None:
    foreign = DictMark(StoreMark(StoreKind.OBJECTS, "old", "objects"))
    (adoption,) = plan_adoption(stores(foreign, instance="new"), "new")
    assert "  belongs to the instance old, and will belong to new" in [*adoption.lines()]
    adopt_stores([adoption])
    assert check_marks(stores(foreign, instance="new")) == "new"
    assert not retire_source(DictMark(StoreMark(StoreKind.OBJECTS, "old", "x")), adoption.after)


def test_an_adoption_changes_neither_the_kind_nor_an_unknown_layout() -> None:
    with pytest.raises(StoreRefused, match="is a store of members"):
        plan_adoption(stores(DictMark(StoreMark(StoreKind.MEMBERS, "a"))), "b")
    with pytest.raises(StoreRefused, match="must know layout 2"):
        plan_adoption(stores(DictMark(StoreMark(StoreKind.OBJECTS, "a", "", 2, 2, 2))), "b")


def test_a_mark_that_changes_while_it_is_adopted_is_not_overwritten() -> None:
    store = DictMark(StoreMark(StoreKind.OBJECTS, "a", "objects"))
    planned = plan_adoption(stores(store), "b")
    store.mark = StoreMark(StoreKind.OBJECTS, "c", "objects")
    with pytest.raises(StoreRefused, match="was changed at the same time"):
        adopt_stores(planned)
    assert owners(store) == ["c"]
