"""What a process requires of the mark of a store."""

from dataclasses import replace

import pytest

from stratabase.core.domain.store_mark import (
    LayoutRange,
    MarkCheck,
    StoreKind,
    StoreMark,
    StoreRefused,
    StoreRequirements,
    parse_mark,
)
from tests.rows import each_row

MARK = StoreMark(StoreKind.OBJECTS, "one", "orders")
REQUIRED = StoreRequirements(StoreKind.OBJECTS, "orders", "STRATABASE_TABLE", "one", LayoutRange(2, 3))


def test_a_mark_survives_its_text_and_fields_of_a_later_version() -> None:
    mark = replace(MARK, layout=4, least_reader=2, least_writer=3, replaced_by="other")
    assert parse_mark(mark.text()) == mark
    assert parse_mark(mark.text()[:-1] + ',"shards":16}') == mark


@each_row("text", ['{"kind":"objects"}', '{"kind":"cars","instance":"a"}', "{}", "[]", "no"])
def test_other_texts_are_no_marks(text: str) -> None:
    with pytest.raises(ValueError, match=r"mark of a store|valid StoreKind|JSON|literal|content"):
        parse_mark(text)


@each_row(
    ("change", "said"),
    [
        ({"instance": "two"}, "'orders' belongs to the instance two, but this service is the instance one"),
        ({"place": "old"}, "is a copy of 'old'.*STRATABASE_TABLE, or run `stratabase store adopt`"),
        ({"replaced_by": "new"}, "was replaced by 'new'. Set STRATABASE_TABLE=new"),
        ({"kind": StoreKind.MEMBERS}, "is a store of members. Correct the setting STRATABASE_TABLE"),
        ({"layout": 1}, "has layout 1, but .* requires layout 2 or later. Run `stratabase store upgrade`"),
        ({"layout": 4, "least_reader": 4}, "To read it, .* must know layout 4, but .* knows layout 3"),
    ],
)
def test_a_store_with_another_mark_is_refused(change: dict[str, object], said: str) -> None:
    good = replace(MARK, layout=3)
    REQUIRED.check(good)
    with pytest.raises(StoreRefused, match=said) as refused:
        REQUIRED.check(replace(good, **change))  # type: ignore[arg-type]
    assert "orders" not in str(refused.value.message)


def test_neighboring_versions_read_side_by_side_and_the_older_one_may_not_write() -> None:
    newer = replace(MARK, layout=4, least_reader=3, least_writer=4)
    REQUIRED.check(newer)
    with pytest.raises(StoreRefused, match=r"To write to it, .* must know layout 4"):
        REQUIRED.check(newer, writes=True)
    REQUIRED._replace(layouts=LayoutRange(3, 4)).check(newer, writes=True)


def test_a_store_without_a_mark_or_without_a_name_is_accepted() -> None:
    REQUIRED.check(None)
    moved = StoreRequirements(StoreKind.FILES, "", "STRATABASE_HOME", "one")
    moved.check(StoreMark(StoreKind.FILES, "one"))


def test_without_an_id_in_the_settings_any_instance_is_right() -> None:
    REQUIRED._replace(instance=None).check(replace(MARK, layout=2, instance="two"))


def test_a_mark_is_read_once_until_a_check_has_passed() -> None:
    marks: list[StoreMark | None] = [replace(MARK, layout=2, instance="two"), replace(MARK, layout=2), None]
    check = MarkCheck(REQUIRED, lambda: marks.pop(0))
    with pytest.raises(StoreRefused):
        check(False)
    check(False)
    check(True)
    assert marks == [None]
