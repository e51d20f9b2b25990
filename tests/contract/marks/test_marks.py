"""Every kind of store keeps a mark, and replaces only the mark that the caller knows."""

from dataclasses import replace

from stratabase.core.domain.store_mark import StoreKind, StoreMark
from stratabase.core.operations.store_marks import MarkStore

MARK = StoreMark(StoreKind.OBJECTS, "instance-1", "orders", 3, 2, 3, "orders-2")


def test_a_new_store_has_no_mark(marks: MarkStore) -> None:
    assert marks.read_mark() is None
    assert marks.is_new()


def test_a_mark_is_read_as_it_was_written(marks: MarkStore) -> None:
    assert marks.write_mark(MARK, None)
    assert marks.read_mark() == MARK
    assert marks.read_mark() == MARK


def test_a_mark_replaces_only_the_known_one(marks: MarkStore) -> None:
    other = replace(MARK, instance="instance-2")
    assert marks.write_mark(MARK, None)
    assert not marks.write_mark(other, None)
    assert not marks.write_mark(other, other)
    assert marks.read_mark() == MARK
    assert marks.write_mark(other, MARK)
    assert marks.read_mark() == other
