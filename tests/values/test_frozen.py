"""Dataclasses that are frozen for the type checker."""

from dataclasses import field, replace

import pytest

from stratabase.values.frozen import frozen
from tests.repository import ROOT


@frozen
class Point:
    """A point with notes."""

    x: int
    y: int = 0
    notes: list[str] = field(default_factory=list, compare=False)


def test_a_frozen_class_supports_replace_repr_and_hash_like_a_dataclass() -> None:
    assert replace(Point(1, 2), x=3) == Point(3, 2, ["elsewhere"]) != Point(3, 3)
    assert repr(Point(1)) == "Point(x=1, y=0, notes=[])"
    assert len({Point(1), Point(1, 0), Point(2)}) == 2


def test_a_representation_omits_what_its_field_hides() -> None:
    @frozen
    class Login:
        """A user name and a password."""

        name: str
        password: str = field(repr=False)

    assert repr(Login("rosa", "secret")).endswith("Login(name='rosa')")


def test_a_class_keeps_its_own_representation() -> None:
    @frozen
    class Short(Point):
        """A point that shows one coordinate."""

        def __repr__(self) -> str:
            return f"<{self.x}>"

    assert repr(Short(1)) == "<1>"


def test_each_instance_has_its_own_defaults() -> None:
    Point(1).notes.append("here")

    assert Point(1).notes == []


def test_a_frozen_instance_takes_no_new_attributes() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 3  # type: ignore[attr-defined]


def test_the_type_checker_refuses_assignments() -> None:
    """Otherwise it would report the `type: ignore` comment as unused."""
    point = Point(1)
    point.x = 2  # type: ignore[misc]

    assert point.x == 2


def test_no_class_of_the_packages_is_checked_at_run_time() -> None:
    """Such a class takes longer to create, in each start of a process that imports it."""
    sources = (ROOT / "layers/stratabase").rglob("*.py")

    assert [file for file in sources if "@dataclass(frozen=True, slots=True)" in file.read_text()] == []
