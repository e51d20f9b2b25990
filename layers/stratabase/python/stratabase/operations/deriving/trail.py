"""Where derived values come from: roles that are walked, and derived attributes of the objects on the way."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from stratabase.domain.attributes import is_derived
from stratabase.domain.objects.entity import RoleName
from stratabase.expressions.environment import Path
from stratabase.model.model import Model


class Trail(NamedTuple):
    """What is needed of objects of one class."""

    class_name: str
    derived: tuple[str, ...]
    """Derived attributes of theirs."""
    roles: Mapping[RoleName, "Trail"]
    """What is needed of the objects that their roles lead to."""


def trail_of(model: Model, class_name: str, paths: Iterable[Path]) -> Trail:
    """Return what paths from a class need: each has roles, and at last perhaps an attribute."""
    class_ = model.classes[class_name]
    below: dict[str, list[Path]] = defaultdict(list)
    derived: list[str] = []
    for first, *others in paths:
        if first in class_.roles:
            below[first] += [tuple(others)] if others else []
        elif is_derived(class_, first):
            derived.append(first)
    roles = {
        RoleName(class_name, name): trail_of(model, class_.roles[name].target, rest)
        for name, rest in below.items()
    }
    return Trail(class_name, tuple(derived), roles)
