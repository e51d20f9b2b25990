"""Estimate the reads that the derived attributes of objects make, and those that filters make along roles.

`core/operations/read/derived_values.py` follows the roles that these depend on level by level, from all
objects at once. It looks up each role of an object once, and loads the targets of a level in batches. So the
reads depend on the levels and on what is looked up, not on each object that is loaded.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import RoleStorage, storage_of
from stratabase.core.model.api_names import FILTER_COMBINATIONS, SEPARATOR
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Model, Role
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.schema.inputs.filter_size import MAX_ROLES_IN_A_ROW
from stratabase.core.schema.inputs.query_reader import DEFAULT_SIZE
from stratabase.values.cel.environment import Path

BATCH = 100
"""The maximum number of objects or guards that one read loads, as in DynamoDB's BatchGetItem."""
_LOOKUPS: Mapping[RoleStorage, int] = {
    RoleStorage.OPPOSITE_KEY: BATCH,
    RoleStorage.OPPOSITE_KEYS: 1,
    RoleStorage.LINKS: 1,
}
"""From how many objects one read looks up the targets of a role, unless the objects themselves name them."""


class _Load(NamedTuple):
    """Something to load `per_object` times for each object, `together` of which make one read."""

    per_object: int
    together: int


class DerivedReads:
    """The reads that derived attributes or a filter make, for any number of objects."""

    def __init__(self, names: Iterable[str] = (), loads: Mapping[_Load, int] | None = None) -> None:
        """Take the fields of a class that make reads, and for each kind of load, how many roles make it."""
        self.names = tuple(names)
        self._loads = loads or {}

    def of(self, objects: int) -> int:
        """Return the number of reads for this many objects."""
        return sum(
            roles * -(-objects * load.per_object // load.together) for load, roles in self._loads.items()
        )


_Paths = frozenset[Path]


class DerivedReadsBuilder:
    """Estimates the reads of the derived attributes of the classes of one model.

    A to-many role counts as a page of default size. Attributes that follow the same role share its reads.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[str, _Paths], Counter[_Load]] = {}
        """By class and paths, because different ways may lead to the same objects and attributes."""

    def of(self, class_: Class, attributes: Iterable[Attribute]) -> DerivedReads:
        """Return the reads of attributes of the objects of a class."""
        paths = {each.name: frozenset({(each.name,)}) for each in attributes if each.derivation}
        names = [name for name, path in paths.items() if self._loads(class_.name, path)]
        return DerivedReads(names, self._loads(class_.name, frozenset().union(*paths.values())))

    def of_filter(self, class_: Class, filter_: Any) -> DerivedReads:
        """Return the reads of a filter on objects of a class, as the client sent it.

        What is wrong with the filter is ignored, because it is refused later.
        """
        paths = self._paths_of_filter(class_, filter_)
        return DerivedReads(sorted({path[0] for path in paths}), self._loads(class_.name, paths))

    def _paths_of_filter(self, class_: Class, filter_: Any) -> _Paths:
        found: set[Path] = set()
        waiting: list[tuple[Path, Class, Any]] = [((), class_, filter_)]
        while waiting:
            above, at, value = waiting.pop()
            if isinstance(value, list):
                waiting += [(above, at, each) for each in value]
            for name, operand in value.items() if isinstance(value, Mapping) else ():
                field = name.partition(SEPARATOR)[0]
                if name in FILTER_COMBINATIONS:
                    waiting.append((above, at, operand))
                elif field in at.roles or field in at.derived:
                    found.add((*above, field))
                if field in at.roles and len(above) < MAX_ROLES_IN_A_ROW:
                    waiting.append(((*above, field), self._model.classes[at.roles[field].target], operand))
        return frozenset(found)

    def _loads(self, class_name: str, paths: _Paths) -> Counter[_Load]:
        """Return what paths load from one object of a class. A path may end with an attribute."""
        key = class_name, paths
        if key not in self._known:
            loads: Counter[_Load] = Counter()
            for role, rest in self._roles(class_name, paths).items():
                loads.update(self._loads_of_role(role, frozenset(rest)))
            self._known[key] = loads
        return self._known[key]

    def _roles(self, class_name: str, paths: _Paths) -> Mapping[Role, Iterable[Path]]:
        """Return the first roles on paths, with what follows them. Derived attributes become their paths."""
        class_ = self._model.classes[class_name]
        roles: dict[str, set[Path]] = defaultdict(set)
        waiting, seen = list(paths), set(paths)
        while waiting:
            first, *rest = waiting.pop()
            if first in class_.roles:
                roles[first] |= {tuple(rest)} if rest else set()
            elif (attribute := class_.attribute(first)) and attribute.derivation:
                fresh = self._paths_of(class_name, attribute) - seen
                seen |= fresh
                waiting += fresh
        return {class_.roles[name]: rest for name, rest in roles.items()}

    def _paths_of(self, class_name: str, attribute: Attribute) -> frozenset[Path]:
        expression = expressions_of(self._model).derived(class_name, attribute)
        if expression is not None:
            return frozenset(expression.paths)
        return frozenset({attribute.derivation.path} if attribute.derivation else ())

    def _loads_of_role(self, role: Role, rest: _Paths) -> Counter[_Load]:
        """Return what one object loads by a role, and what its targets load in turn."""
        targets = DEFAULT_SIZE if role.many else 1
        loads = Counter({_Load(targets, BATCH): 1})
        if together := _LOOKUPS.get(storage_of(self._model, role)):
            loads[_Load(1, together)] += 1
        for (per_object, together), roles in self._loads(role.target, rest).items():
            loads[_Load(targets * per_object, together)] += roles
        return loads
