"""The pages for those who review the security of sign-in name tests that exist."""

import re
from functools import cache

import pytest

from tests.repository import ROOT

PAGES = {name: (ROOT / "docs" / name).read_text() for name in ("security-of-sign-in.md", "asvs.md")}
NAME = re.compile(r"`(test_\w+)`")


@cache
def existing() -> frozenset[str]:
    """Return the names of all tests of the folders of tests about members, and of the scenarios."""
    files = [*(ROOT / "tests/members").rglob("test_*.py"), *(ROOT / "tests/scenarios").glob("test_*.py")]
    return frozenset(
        name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    )


def rows(page: str) -> list[list[str]]:
    """Return the cells of the rows of all tables, without their heads."""
    lines = re.sub(r"^\|.*\n(?=\|---)", "", PAGES[page], flags=re.MULTILINE).splitlines()
    return [line.strip("|").split("|") for line in lines if line.startswith("| ")]


@pytest.mark.parametrize("page", PAGES)
def test_each_test_that_is_named_exists(page: str) -> None:
    named = set(NAME.findall(PAGES[page]))
    assert len(named) > 40
    assert named - existing() == set()


@pytest.mark.parametrize("page", PAGES)
def test_each_row_has_a_test_or_says_why_not(page: str) -> None:
    """Rows without a test are deviations, or about what Stratabase does not do at all."""
    without = [row for row in rows(page) if not NAME.search("|".join(row)) and "the same" not in row[-1]]
    assert len(rows(page)) > 40
    reasons = ("Deviation", "not used", "as above", "there are none", "the front end decides")
    assert [row for row in without if not any(each in "|".join(row) for each in reasons)] == []
