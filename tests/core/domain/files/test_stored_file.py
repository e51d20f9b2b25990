"""The value of a File attribute identifies the file, also by the second in which the object took it."""

from stratabase.core.domain.files.stored_file import StoredFile, shown_file, stored_file
from tests.rows import each_row

UPLOADED = 1_788_343_200_999
PENDING = StoredFile("f1", "a.pdf", "application/pdf", 7, UPLOADED)


def test_a_file_is_read_as_it_was_stored() -> None:
    bound = PENDING.bound(UPLOADED + 5, None)

    assert stored_file(PENDING.stored()) == PENDING
    assert stored_file(bound.stored()) == bound
    assert bound.bound_on == UPLOADED + 5
    assert shown_file(bound.stored()) == PENDING.stored()


@each_row(
    ("replaced", "now", "expected"),
    [
        (UPLOADED + 1001, UPLOADED + 10_000, UPLOADED + 10_000),
        (UPLOADED + 1001, UPLOADED + 1002, 1_788_343_203_000),
        (UPLOADED + 5001, UPLOADED + 1002, 1_788_343_207_000),
        (None, UPLOADED, 1_788_343_201_000),
    ],
)
def test_the_file_that_replaces_another_one_has_another_second(
    replaced: int | None, now: int, expected: int
) -> None:
    before = PENDING._replace(file_id="f0", bound_on=replaced)

    assert PENDING.bound(now, before).bound_on == expected
