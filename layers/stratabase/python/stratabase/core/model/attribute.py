"""Attributes of classes, and stored states as these show them: what they hide is kept beside it.

A model can change after objects were stored. So a state may have values that an attribute's present type
does not read, or that it reads in another form, and may lack attributes that have a default:

| stored | shown |
|---|---|
| a value with the text of a value of the present type | that value: `5` for the text `"5"` of an Int |
| any other value | null |
| null | null |
| nothing | the default, or null |

A state that shows something else than it has stored contains both: the shown values under the attributes'
names, and the stored ones under KEPT. A write stores again what it does not overwrite, so nothing is lost if
the model is changed back.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from stratabase.core.model.constraints.base import Constraint, Violation
from stratabase.core.model.types.base import INTEGER_STORAGE, MAPPING_STORAGE, AttributeType, Stored
from stratabase.core.model.types.operators import Aggregate
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen


class Origin(Enum):
    """The origin of an attribute's value."""

    NATIVE = "native"
    """Clients write the value."""
    PLATFORM = "platform"
    """Stratabase sets the value on each write (`_createdon` …)."""
    DERIVED = "derived"
    """Stratabase computes the value from other attributes on each read."""


@frozen
class Derivation:
    """How to compute a derived attribute: by an expression, or by a path with an optional aggregate."""

    expression: str | None = None
    path: tuple[str, ...] = ()
    aggregate: Aggregate | None = None


@frozen
class Attribute:
    """An attribute: a named value of a class."""

    name: str
    type: AttributeType
    required: bool = False
    origin: Origin = Origin.NATIVE
    constraints: tuple[Constraint, ...] = ()
    """The constraints of `@domain` or `@file` and the limit of the type itself, in the order of checks."""
    derivation: Derivation | None = None
    description: str | None = None
    renamed_from: str | None = None
    """The name under which values are stored, if that is not the attribute's name."""
    default: Stored = None
    """The value, in its stored form, of an attribute that was left out. None: there is no default."""

    def violations(self, stored: Stored, formats: Formats | None = None) -> Iterator[Violation]:
        """Yield the violations of the constraints by a stored value, which must not be None.

        `stored` is the value in its stored form. Messages show values in `formats`; if that is None, in the
        stored form.
        """
        for constraint in self.constraints:
            yield from constraint.violations(stored, self.type, formats)


KEPT: Final = ".kept"
"""The name under which a state has its KeptValues. No attribute can have it, because of its dot."""


class Absent(Enum):
    """The type of ABSENT."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""Stands for the value of an attribute that a state does not store. Null can be stored too."""


class KeptValue(NamedTuple):
    """What is stored for one attribute, and what is shown instead."""

    stored: Any
    """The stored value; null; or ABSENT."""
    shown: Any

    def is_value(self, value: Any) -> bool:
        """Return whether a value that a client sets is the one that is stored, in another form."""
        is_read = self.stored is None or (self.stored is not ABSENT and self.shown is not None)
        return is_read and bool(value == self.shown)


@frozen
class KeptValues:
    """The attributes of a state that show something else than is stored. Not a mapping, unlike files."""

    by_name: Mapping[str, KeptValue]

    def translated(
        self, name_of: Callable[[str], str | None], value_of: Callable[[str, Any], Any]
    ) -> "KeptValues":
        """Return them with the names of another model, and with what that model shows.

        `name_of`: returns None for a name that stays. `value_of`: takes a name and a shown value.
        """
        return KeptValues(
            {
                name_of(name) or name: KeptValue(each.stored, value_of(name, each.shown))
                for name, each in self.by_name.items()
            }
        )


_NOTHING: Mapping[str, KeptValue] = MappingProxyType({})
_NULL = KeptValue(None, None)
_REMEMBERED = 4096
"""The number of values of one attribute of which it is remembered whether its type reads them."""


def kept_values(state: Mapping[str, Any]) -> Mapping[str, KeptValue]:
    """Return the kept values of a state that it still shows. What was overwritten is not kept any more."""
    kept = state.get(KEPT)
    if kept is None:
        return _NOTHING
    return {name: each for name, each in kept.by_name.items() if state.get(name) == each.shown}


def stored_value(state: Mapping[str, Any], name: str) -> Any:
    """Return what a state stores for an attribute: a value; null; or ABSENT."""
    value, kept = state.get(name), state.get(KEPT)
    if kept is not None and (known := kept.by_name.get(name)) is not None and known.shown == value:
        return known.stored
    return ABSENT if value is None else value


def stored_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state as it is stored: without nulls, unless they were set to be stored."""
    values = {name: value for name, value in state.items() if value is not None}
    if KEPT in values:
        values |= {name: each.stored for name, each in kept_values(state).items()}
        del values[KEPT]
        values = {name: value for name, value in values.items() if value is not ABSENT}
    return values


def unread_names(state: Mapping[str, Any]) -> frozenset[str]:
    """Return the attributes with a stored value that their present type does not read."""
    kept = kept_values(state).items()
    return frozenset(name for name, each in kept if each.shown is None and each.stored not in (None, ABSENT))


def overwrite(
    state: Mapping[str, Any], changes: Mapping[str, Any], attributes: Mapping[str, Attribute]
) -> dict[str, Any]:
    """Return a state with values that a client has set, which replace what is stored.

    A value that is already stored with the same text is kept as it is. If an attribute has a default, null is
    stored, so that the default does not replace it.
    """
    after = {**state, **changes}
    before = state.get(KEPT)
    kept = {} if before is None else dict(kept_values(state))
    for name, value in changes.items():
        known = kept.pop(name, None) if kept else None
        if value is None and attributes[name].default is not None:
            kept[name] = _NULL
        elif known is not None and known.is_value(value):
            kept[name] = known
    if kept or before is not None:
        after[KEPT] = KeptValues(kept)
    return after


def with_kept_values(
    state: Mapping[str, Any], former: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """Return a state with former values of some attributes, and what the former state keeps of them."""
    restored, own, older = frozenset(names), kept_values(state), kept_values(former)
    kept = {name: each for name, each in own.items() if name not in restored}
    kept |= {name: each for name, each in older.items() if name in restored}
    return {**state, KEPT: KeptValues(kept)} if kept or KEPT in state else {**state}


_States = Sequence[Mapping[str, Any]]
_Show = Callable[[_States], bool]
_MAX_COMPILED = 1000
"""The maximum number of such functions for parts of the attributes of a class."""


class StateReader:
    """Reads stored states of one class as the class shows them.

    Nearly all states show what they store. A function that is compiled for the class finds that out for many
    states at once, in less time than it takes to parse their texts.
    """

    def __init__(self, attributes: Mapping[str, Attribute]) -> None:
        # The types of platform attributes never change.
        self._native = {name: one for name, one in attributes.items() if one.origin is Origin.NATIVE}
        self._defaults = {
            name: KeptValue(ABSENT, one.default)
            for name, one in self._native.items()
            if one.default is not None
        }
        self._tests: dict[frozenset[str], _Show] = {}
        self.show_all = _compile(self._native.values())
        """Returns whether states without nulls show what they store."""

    def show(self, names: frozenset[str]) -> _Show:
        """Return a function that does the same for the attributes of some names.

        It ignores names that are not native attributes. In these attributes, states may have nulls.
        """
        test = self._tests.get(names)
        if test is None:
            if len(self._tests) >= _MAX_COMPILED:
                return self.show_all
            test = _compile(one for name, one in self._native.items() if name in names)
            self._tests[names] = test
        return test

    def read(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return what a stored state shows, with what is stored instead."""
        shown = dict(state)
        kept = {name: each for name, each in self._defaults.items() if name not in state}
        for name, raw in state.items():
            attribute = self._native.get(name)
            value = raw if attribute is None or raw is None else attribute.type.read_stored(raw)
            if raw is None or value.__class__ is not raw.__class__ or value != raw:
                shown[name] = value
                kept[name] = KeptValue(raw, value)
        shown |= {name: each.shown for name, each in kept.items()}
        return {**shown, KEPT: KeptValues(kept)} if kept else shown


def read_unknown(state: dict[str, Any]) -> dict[str, Any]:
    """Return a stored state with nulls, of a class that is not known, so that its nulls are kept."""
    return _OF_NO_CLASS.read(state)


def _compile(attributes: Iterable[Attribute]) -> _Show:
    """Return a function that says whether states show all that they store."""
    tests, names = list[str](), dict[str, Any]({"bool": bool, "dict": dict, "int": int, "str": str})
    for number, attribute in enumerate(attributes):
        type_ = attribute.type
        test = f"(value := get({attribute.name!r})).__class__ is {type_.storage.python_type.__name__}"
        if type_.storage is MAPPING_STORAGE:
            names[f"read{number}"] = type_.read_stored
            test += f" and read{number}(value) is not None"
        elif type_.storage is INTEGER_STORAGE and type_.numbers and type_.numbers.maximum is not None:
            test += f" and {type_.numbers.minimum} <= value <= {type_.numbers.maximum}"
        elif not type_.unrestricted:
            names[f"fits{number}"] = _Fitting(type_)
            test += f" and fits{number}[value]"
        # An attribute with a default shows it if it is absent, which null is not.
        tests.append(f"({test})" if attribute.default is not None else f"(({test}) or value is None)")
    # The text contains only names of the model, which are letters, digits and underscores.
    lines = (
        "def show(states):",
        "    for state in states:",
        "        get = state.get",
        f"        if not ({' and '.join(tests) or True}):",
        "            return False",
        "    return True",
    )
    exec("\n".join(lines), names)  # noqa: S102
    show: _Show = names["show"]
    return show


class _Fitting(dict[Any, bool]):
    """Whether values of one Python type are shown as they are. Each is tested when it is first asked for."""

    def __init__(self, type_: AttributeType) -> None:
        super().__init__()
        self._fits = type_.is_own_value

    def __missing__(self, raw: Any) -> bool:
        fits = self._fits(raw)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[raw] = fits
        return fits


_OF_NO_CLASS = StateReader({})
