"""The catalog as an immutable value: every stored name that was ever served, and when it was removed.

A name is removed when a model without it begins to serve. If a model with the name begins to serve later, the
name has come back: values that are still stored under it are seen again. The catalog notes both instants,
until `stratabase model drop` erases what is stored and takes the name out of the catalog.

Two models can serve side by side, as during a deployment. A process that goes on serving a model with a
removed name only moves the instant at which the name was last seen. So the two do not remove the name and
bring it back in turns. Only a model that begins to serve brings a name back.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.model.attribute import Origin
from stratabase.core.model.model import Model, Role
from stratabase.core.model.stored_names import NameKind, RemovedName
from stratabase.values.frozen import frozen

SEEN_STEP = 3_600_000
"""Milliseconds. A name or model that was seen less than this ago is not written again."""
SERVED_APART = 24 * SEEN_STEP
"""Milliseconds after which a model that was not seen counts as one that does not serve any more."""


class CatalogName(NamedTuple):
    """A stored name."""

    kind: NameKind
    owner: str
    """The stored name of the class of an attribute or role; the enum of a value; empty for other names."""
    name: str

    def __str__(self) -> str:
        """Return the name as users write it: `Employee.nickname`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@frozen
class CatalogEntry:
    """What the catalog knows about a stored name."""

    seen: Instant
    """The last time when a model with the name was seen, rounded to about an hour."""
    removed: Instant | None = None
    """When a model without the name first began to serve; None if the name was never removed."""
    back: Instant | None = None
    """When a model with the removed name began to serve again; None if it did not."""
    forms: tuple[str, ...] = ()
    """The types that an attribute had, or the kinds and targets of a role, the latest last."""

    @property
    def is_removed(self) -> bool:
        """Whether the latest model that began to serve does not have the name."""
        return self.removed is not None and self.back is None

    def was_seen_after_removal(self, now: Instant) -> bool:
        """Return whether a process with an earlier model, which has the removed name, served lately."""
        return self.removed is not None and self.seen > self.removed and now - self.seen < SERVED_APART


Names = Mapping[CatalogName, str]
"""The stored names of a model, each with its form (see CatalogEntry.forms), empty for names without forms."""


@frozen
class Catalog:
    """All names that were ever stored."""

    revision: int = 0
    """The number of times that the catalog was written."""
    entries: Mapping[CatalogName, CatalogEntry] = field(default_factory=dict)

    def record(self, names: Names, now: Instant, *, begins: bool) -> "Catalog":
        """Return the catalog after a model was seen. Return itself if there is nothing new.

        `names`: of the model. `begins`: the model begins to serve now. If not, it has been serving for a
        while.
        """
        changed = {
            name: after
            for name, entry in self.entries.items()
            if (
                after := _seen(entry, names[name], now, begins)
                if name in names
                else _gone(entry, now, begins)
            )
            is not entry
        }
        changed |= {
            name: CatalogEntry(now, forms=(form,) if form else ())
            for name, form in names.items()
            if name not in self.entries
        }
        return replace(self, entries={**self.entries, **changed}) if changed else self

    def without(self, names: Collection[CatalogName]) -> "Catalog":
        """Return the catalog without these names. Return itself if it has none of them."""
        kept = {name: entry for name, entry in self.entries.items() if name not in names}
        return self if len(kept) == len(self.entries) else replace(self, entries=kept)

    def removed(self) -> Mapping[CatalogName, CatalogEntry]:
        """Return the names that the latest model does not have."""
        return {name: entry for name, entry in self.entries.items() if entry.is_removed}

    def removed_names(self) -> list[RemovedName]:
        """Return the names that a model lacked after an earlier one had them, also if they have come back.

        Objects may still hold values of them, until they are dropped.
        """
        return [
            RemovedName(name.kind, str(name), format_instant(entry.removed)[:10])
            for name, entry in self.entries.items()
            if entry.removed is not None
        ]

    def of_class(self, class_name: str) -> Iterator[CatalogName]:
        """Yield the name of a class, and the names of its attributes and roles."""
        for each in self.entries:
            if each == (NameKind.CLASS, "", class_name) or (
                each.owner == class_name and each.kind in {NameKind.ATTRIBUTE, NameKind.ROLE}
            ):
                yield each


def _seen(entry: CatalogEntry, form: str, now: Instant, begins: bool) -> CatalogEntry:  # noqa: FBT001
    """Return the entry of a name after a model with the name was seen."""
    forms = (*(each for each in entry.forms if each != form), form) if form else entry.forms
    back = now if begins and entry.is_removed else entry.back
    seen = now if now - entry.seen >= SEEN_STEP or back != entry.back else entry.seen
    after = replace(entry, seen=seen, back=back, forms=forms)
    return entry if after == entry else after


def _gone(entry: CatalogEntry, now: Instant, begins: bool) -> CatalogEntry:  # noqa: FBT001
    """Return the entry of a name after a model without the name was seen."""
    if entry.removed is None or (begins and entry.back is not None):
        return replace(entry, removed=now, back=None)
    return entry


def stored_names_of(model: Model) -> Names:
    """Return the stored names of a model. `model`: the stored model."""
    return dict(_stored_names_of(model))


def _stored_names_of(model: Model) -> Iterator[tuple[CatalogName, str]]:
    for class_ in model.classes.values():
        if not class_.is_stored:
            continue
        yield CatalogName(NameKind.CLASS, "", class_.name), ""
        for attribute in class_.attributes.values():
            if attribute.origin is not Origin.DERIVED:
                yield CatalogName(NameKind.ATTRIBUTE, class_.name, attribute.name), attribute.type.name
        for role in class_.roles.values():
            yield CatalogName(NameKind.ROLE, class_.name, role.name), _role_form(role)
    for enumeration in model.enumerations.values():
        for value in enumeration.values:
            yield CatalogName(NameKind.ENUM_VALUE, enumeration.name, value), ""
    for profile in model.profiles.values():
        yield CatalogName(NameKind.PROFILE, "", profile.renamed_from or profile.name), ""


def _role_form(role: Role) -> str:
    kind = "composition" if role.composition else "whole" if role.whole else "association"
    return f"{'to-many' if role.many else 'to-one'} {kind} to {role.target}"


def fingerprint(names: Names) -> str:
    """Return a text that is the same for models with the same stored names and forms."""
    listed = sorted([name.kind.value, name.owner, name.name, form] for name, form in names.items())
    return sha256(orjson.dumps(listed)).hexdigest()[:24]


def serialize_catalog(catalog: Catalog) -> str:
    """Return the entries of a catalog as JSON text."""
    content: dict[str, dict[str, dict[str, Any]]] = {}
    for name, entry in catalog.entries.items():
        values = (entry.seen, entry.removed, entry.back, entry.forms)
        content.setdefault(name.kind.value, {}).setdefault(name.owner, {})[name.name] = values
    return orjson.dumps(content).decode()


def parse_catalog(revision: int, text: str) -> Catalog:
    """Return the catalog with the entries in a JSON text."""
    content: dict[str, dict[str, dict[str, Any]]] = orjson.loads(text)
    entries = {
        CatalogName(NameKind(kind), owner, name): CatalogEntry(seen, removed, back, tuple(forms))
        for kind, owners in content.items()
        for owner, named in owners.items()
        for name, (seen, removed, back, forms) in named.items()
    }
    return Catalog(revision, entries)
