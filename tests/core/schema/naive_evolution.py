"""A model that changes, and a naive store of its objects: stored names with the texts of stored values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stratabase.core.model.types import TYPES
from tests.stored_texts import READ_BY, stored

ENUM = "Mood"
ENUM_VALUES = ("RED", "GREEN", "BLUE")
"""The stored names of enum values."""
TEXTS = ("5", "-7", "05", "1.5", "true", "false", "2020-01-31", *ENUM_VALUES)
STORED_NAMES = ("a", "b", "c")
"""The stored names of attributes."""
KINDS = ("String", "Text", "Int", "Real", "Boolean", "Date", "Year", ENUM)
Texts = Mapping[str, str | None]
"""By stored name: the text of the stored value, None for a stored null. What is absent is not stored."""


@dataclass(frozen=True)
class NaiveAttribute:
    """An attribute of a model."""

    shown_name: str
    type: str = "String"
    default: str | None = None
    """A text, with the stored name of an enum value."""
    required: bool = False


@dataclass(frozen=True)
class NaiveModel:
    """A model with one class, which is stored as `Thing`."""

    attributes: Mapping[str, NaiveAttribute]
    """By stored name."""
    values: Mapping[str, str]
    """The names of the enum's values, by stored name."""
    uniques: frozenset[tuple[str, ...]] = frozenset()
    indexes: frozenset[tuple[str, ...]] = frozenset()
    versioned: bool = True
    class_name: str = "Thing"

    def reads(self, name: str, text: str) -> bool:
        """Return whether the type of an attribute has a value with a text."""
        type_ = self.attributes[name].type
        if type_ == ENUM:
            return text in self.values
        return type_ in {"String", "Text"} or type_ in READ_BY.get(text, ())

    def shown(self, texts: Texts, name: str) -> str | None:
        """Return the text that is shown for an attribute, with the stored name of an enum value."""
        text = texts.get(name, self.attributes[name].default)
        return text if text is not None and self.reads(name, text) else None

    def answer(self, texts: Texts) -> dict[str, str | None]:
        """Return the texts of an answer by name of the attribute."""
        found = {one.shown_name: (one.type, self.shown(texts, name)) for name, one in self.attributes.items()}
        return {
            name: self.values[text] if type_ == ENUM and text else text
            for name, (type_, text) in found.items()
        }

    def sent(self, name: str, text: str | None) -> Any:
        """Return the value of an attribute with a text as a client sends it."""
        type_ = self.attributes[name].type
        if text is None:
            return None
        if type_ == ENUM:
            return self.values[text]
        return text if type_ in {"Real", "Date"} else stored(type_, text)

    def rank(self, name: str, text: str) -> Any:
        """Return what values of an attribute are ordered by."""
        type_ = self.attributes[name].type
        return TYPES[type_].sort_key(stored(type_, text)) if type_ in TYPES else text

    def readable(self, name: str) -> list[str]:
        """Return the texts that the type of an attribute has a value for."""
        return [text for text in TEXTS if self.reads(name, text)]

    def field(self, name: str) -> str:
        """Return the selection of an attribute, in the format in which it is stored."""
        one = self.attributes[name]
        return f'{one.shown_name}(format: "yyyy-MM-dd")' if one.type == "Date" else one.shown_name

    def names(self, stored_names: Sequence[str]) -> list[str]:
        """Return names of attributes by their stored names."""
        return [self.attributes[name].shown_name for name in stored_names]

    def possible(self) -> "NaiveModel":
        """Return the model without what the rest of it makes a mistake."""
        known = {*self.attributes}
        uniques = frozenset(each for each in self.uniques if {*each} <= known)
        unique_names = {name for each in uniques for name in each}
        attributes = {
            name: replace(one, default=None)
            if one.default is None or name in unique_names or not self.reads(name, one.default)
            else one
            for name, one in self.attributes.items()
        }
        indexes = frozenset(each for each in self.indexes if {*each} <= known)
        return replace(self, attributes=attributes, uniques=uniques, indexes=indexes)

    @property
    def text(self) -> str:
        """The text of the model."""
        lists = [("unique", each) for each in sorted(self.uniques)]
        lists += [("index", each) for each in sorted(self.indexes)]
        directives = " ".join(
            f"@{kind}(attributes: [{', '.join(_quoted(name) for name in self.names(each))}])"
            for kind, each in lists
        )
        fields = " ".join(self._definition(name) for name in self.attributes)
        class_ = f"{self.class_name}{_renamed(self.class_name, 'Thing')}"
        values = " ".join(f"{shown}{_renamed(shown, name)}" for name, shown in self.values.items())
        versioned = str(self.versioned).lower()
        return (
            f"type {class_} @class(versioned: {versioned}) {directives} {{ {fields} }}\n"
            f"type Other {{ mood: {ENUM} }}\nenum {ENUM} {{ {values} }}"
        )

    def _definition(self, name: str) -> str:
        one, default = self.attributes[name], ""
        if one.default is not None:
            text = self.values[one.default] if one.type == ENUM else one.default
            default = f" @default(value: {_quoted(text)})"
        required = "!" if one.required else ""
        return f"{one.shown_name}: {one.type}{required}{default}{_renamed(one.shown_name, name)}"


def _renamed(name: str, stored_name: str) -> str:
    return "" if name == stored_name else f' @renamed(from: "{stored_name}")'


def _quoted(text: str) -> str:
    return f'"{text}"'


@dataclass
class NaiveVersion:
    """A version of an object."""

    start: int
    texts: Texts
    end: int | None = None


@dataclass
class NaiveObject:
    """An object with its versions."""

    versions: list[NaiveVersion] = field(default_factory=list)

    @property
    def texts(self) -> Texts | None:
        """What is stored now, None for a deleted object."""
        last = self.versions[-1] if self.versions else None
        return None if last is None or last.end is not None else last.texts

    def at(self, instant: int) -> Texts | None:
        """Return what was stored at an instant."""
        found = (
            each.texts
            for each in self.versions
            if each.start <= instant and (each.end is None or instant < each.end)
        )
        return next(found, None)


class NaiveStore:
    """Objects by id, and what each write stores under the model of its time."""

    def __init__(self) -> None:
        self.objects: dict[str, NaiveObject] = {}

    @property
    def live(self) -> dict[str, Texts]:
        """What is stored for each object that is not deleted, by id in order."""
        each = ((id_, self.objects[id_].texts) for id_ in sorted(self.objects))
        return {id_: texts for id_, texts in each if texts is not None}

    def at(self, instant: int) -> dict[str, Texts]:
        """Return what was stored at an instant, by id in order."""
        each = ((id_, self.objects[id_].at(instant)) for id_ in sorted(self.objects))
        return {id_: texts for id_, texts in each if texts is not None}

    @property
    def deleted(self) -> list[tuple[str, NaiveVersion]]:
        """The ids and last versions of deleted objects, the latest deletion first."""
        each = ((id_, one.versions[-1]) for id_, one in self.objects.items() if one.versions)
        gone = ((id_, last) for id_, last in each if last.end is not None)
        return sorted(gone, key=lambda one: one[1].end or 0, reverse=True)

    def write(self, id_: str, texts: Texts, model: NaiveModel, now: int) -> None:
        """Store what an object has from now on."""
        found = self.objects.setdefault(id_, NaiveObject())
        before = found.texts
        if before == texts:
            return
        if before is not None and model.versioned:
            found.versions[-1].end = now
        elif before is not None:
            del found.versions[-1]
        found.versions.append(NaiveVersion(now, texts))

    def delete(self, id_: str, model: NaiveModel, now: int) -> None:
        """Delete an object, with its former versions if the class has none any more."""
        if model.versioned:
            self.objects[id_].versions[-1].end = now
        else:
            self.objects[id_].versions.clear()

    def convert(self, model: NaiveModel, kept: set[str], ids: Sequence[str]) -> None:
        """Store the defaults of absent values of objects, without a version, except for some attributes."""
        defaults = {
            name: one.default
            for name, one in model.attributes.items()
            if one.default is not None and name not in kept
        }
        for id_ in ids:
            last = self.objects[id_].versions[-1]
            last.texts = {**defaults, **last.texts}


def overwritten(texts: Texts, changes: Texts, model: NaiveModel) -> Texts:
    """Return what is stored after a client has set values."""
    after = {**texts, **changes}
    for name, text in changes.items():
        # A null that is stored already stays. Another one is stored only if a default would replace it.
        is_null = name in texts and texts[name] is None
        if text is None and model.attributes[name].default is None and not is_null:
            del after[name]
    return after


def created(values: Texts, model: NaiveModel) -> Texts:
    """Return what is stored for a new object."""
    defaults = {
        name: one.default
        for name, one in model.attributes.items()
        if one.default is not None and name not in values
    }
    return {**defaults, **overwritten({}, values, model)}


def restored(present: Texts | None, former: Texts, model: NaiveModel) -> Texts:
    """Return what is stored after a restoration: of an existing object, only what the model has."""
    if present is None:
        return former
    others = {name: text for name, text in present.items() if name not in model.attributes}
    return {**others, **{name: text for name, text in former.items() if name in model.attributes}}


def unique_key(model: NaiveModel, unique: Sequence[str], texts: Texts) -> tuple[str | None, ...] | None:
    """Return the unique values of an object, None if one of them is null."""
    key = tuple(model.shown(texts, name) for name in unique)
    return None if None in key else key


def literal(value: Any) -> str:
    """Return a value as GraphQL writes it in a query. Enum values are not text."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def ordered_by(model: NaiveModel, live: Mapping[str, Texts], names: Sequence[str]) -> list[str]:
    """Return ids in the order of some attributes. Nulls are first."""

    def rank(id_: str) -> list[Any]:
        each = [(name, model.shown(live[id_], name)) for name in names]
        return [(text is not None, text is not None and model.rank(name, text)) for name, text in each]

    return sorted(sorted(live), key=rank)


def expected_pages(
    model: NaiveModel, live: Mapping[str, Texts], name: str, text: str
) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield options of pages about an attribute and a value, with the ids that each must have in order."""
    one = model.attributes[name]
    shown = {id_: model.shown(texts, name) for id_, texts in live.items()}
    nulls = [id_ for id_, each in shown.items() if each is None]
    others = {id_: each for id_, each in shown.items() if each is not None}
    ordered, value = ordered_by(model, live, [name]), model.sent(name, text)
    ascending = {"orderBy": [f"{one.shown_name}___ASC"]}
    yield ascending, ordered
    yield {"orderBy": [f"{one.shown_name}___DESC", "_id___DESC"]}, ordered[::-1]
    yield {"filter": {f"{one.shown_name}___null": True}}, nulls
    yield {"filter_exp": f"isNull({one.shown_name})"}, nulls
    equal = [id_ for id_ in others if others[id_] == text]
    yield {"filter": {f"{one.shown_name}___eq": value}}, equal
    yield {"filter": {f"{one.shown_name}___ne": value}}, [id_ for id_ in shown if shown[id_] != text]
    if one.type != "Boolean":
        yield {"filter": {f"{one.shown_name}___in": [value]}}, equal
    if one.type not in {"Boolean", ENUM}:
        rank = model.rank(name, text)
        above = [id_ for id_ in ordered if id_ in others and model.rank(name, others[id_]) > rank]
        yield {"filter": {f"{one.shown_name}___gt": value}}, sorted(above)
        yield {"filter": {f"{one.shown_name}___gt": value}, **ascending}, above
