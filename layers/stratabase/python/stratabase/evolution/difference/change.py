"""A change of a model with its severity, and the pairs of old and new that the rules compare."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import Enum
from functools import cached_property
from typing import Any

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Model, Role
from stratabase.core.model.stored_names import ClassNames, StoredNames
from stratabase.evolution.difference.questions import Question
from stratabase.values.frozen import frozen
from stratabase.values.messages import or_list

_MIN_SIMILARITY = 0.5
"""From this ratio of common characters on, a removed and an added name look like a rename."""


class Severity(Enum):
    """What a change asks of the person who changes the model."""

    SAFE = "safe"
    """Nothing."""
    REINDEX = "needs reindex"
    """Something must be built from the stored objects: `stratabase reindex` does it."""
    DECISION = "needs a decision"
    """Stored values disappear from answers, or members gain or lose access, unless the person acts."""


@frozen
class ModelChange:
    """One change of a model. The texts are sentences, except for `subject` and `what`."""

    severity: Severity
    subject: str
    """What has changed, by its name in the new model, or in the old one if it was removed."""
    what: str
    """The change, such as `removed` or `type Int, was String`."""
    why: str = ""
    """Why it matters."""
    to_do: str = ""
    """The command or the directive to use. Empty: nothing is to be done."""
    questions: tuple[Question, ...] = ()
    """What to count in the stored objects, to know how many the change concerns."""
    if_none: "ModelChange | None" = None
    """What the change is instead if all questions count 0. None: the counts don't settle it."""
    kept_in_versions: str = ""
    """The stored name, such as `Employee.nickname`, of what closed versions must not hold either for that."""

    def __str__(self) -> str:
        """Return the subject and the change on one line."""
        return f"{self.subject}: {self.what}"


Changes = Iterator[ModelChange]


def safe(subject: str, what: str, why: str = "", *questions: Question) -> ModelChange:
    """Return a change for which nothing is to be done."""
    return ModelChange(Severity.SAFE, subject, what, why, "", questions)


def decision(subject: str, what: str, why: str, to_do: str, *questions: Question) -> ModelChange:
    """Return a change that a person must decide about."""
    return ModelChange(Severity.DECISION, subject, what, why, to_do, questions)


def to_build(subject: str, what: str, why: str, class_name: str, *questions: Question) -> ModelChange:
    """Return a change after which something of a class must be built."""
    return ModelChange(Severity.REINDEX, subject, what, why, reindex_advice(class_name), questions)


def settled_if_none(
    change: ModelChange, *, builds: str | None = None, kept_in_versions: str = ""
) -> ModelChange:
    """Return a decision that is none if all its questions count 0.

    `builds`: the class of which something must be built even then. `kept_in_versions`: see the attribute.
    """
    if builds is None:
        settled = safe(change.subject, change.what, "", *change.questions)
    else:
        settled = to_build(change.subject, change.what, "", builds, *change.questions)
    return replace(change, if_none=settled, kept_in_versions=kept_in_versions)


def reindex_advice(class_name: str) -> str:
    """Return the sentence with the command that builds what a class needs."""
    return (
        f"Run `stratabase reindex {class_name}`. With SQLite, `stratabase serve` does this before it serves."
    )


def erase_advice(stored_name: str) -> str:
    """Return the sentence with the command that erases what is stored under a name."""
    return f"To erase what is stored, run `stratabase model drop {stored_name}`."


def rename_advice(name: str, written: str, otherwise: str) -> str:
    """Return the sentences on what probably is a rename. `written`: what to write if it is one."""
    return f"If it is {name} now, write `{written}`. Otherwise: {otherwise[0].lower()}{otherwise[1:]}"


def rename_hint(added: Sequence[str], stored: str, otherwise: str) -> str:
    """Return the sentences on what can be a rename to one of several added names; `otherwise` without any."""
    if not added:
        return otherwise
    return (
        f'If it is {or_list(added)} now, add `@renamed(from: "{stored}")` there, which keeps what is stored. '
        f"Otherwise: {otherwise[0].lower()}{otherwise[1:]}"
    )


@dataclass(frozen=True)
class ClassPair:
    """A class in the old and in the new model, under one stored name."""

    comparison: "ModelComparison"
    old: Class
    new: Class
    old_names: ClassNames
    new_names: ClassNames

    @property
    def stored_name(self) -> str:
        """The name of the class in keys."""
        return self.new_names.stored_name

    @cached_property
    def attributes(self) -> tuple["AttributePair", ...]:
        """The attributes that both models have, in the order of the new one."""
        old = {self.old_names.to_stored[each.name]: each for each in self.old.attributes.values()}
        return tuple(
            AttributePair(self, old[stored], each, stored)
            for each in self.new.attributes.values()
            if (stored := self.new_names.to_stored[each.name]) in old
        )

    @cached_property
    def roles(self) -> tuple["RolePair", ...]:
        """The roles that both models have, in the order of the new one."""
        old = {self.old_names.to_stored[each.name]: each for each in self.old.roles.values()}
        return tuple(
            RolePair(self, old[stored], each, stored)
            for each in self.new.roles.values()
            if (stored := self.new_names.to_stored[each.name]) in old
        )

    @property
    def added_attributes(self) -> tuple[Attribute, ...]:
        """The attributes that only the new model has."""
        known = {id(pair.new) for pair in self.attributes}
        return tuple(each for each in self.new.attributes.values() if id(each) not in known)

    @property
    def removed_attributes(self) -> tuple[Attribute, ...]:
        """The attributes that only the old model has."""
        known = {id(pair.old) for pair in self.attributes}
        return tuple(each for each in self.old.attributes.values() if id(each) not in known)

    @property
    def added_roles(self) -> tuple[Role, ...]:
        """The roles that only the new model has."""
        known = {id(pair.new) for pair in self.roles}
        return tuple(each for each in self.new.roles.values() if id(each) not in known)

    @property
    def removed_roles(self) -> tuple[Role, ...]:
        """The roles that only the old model has."""
        known = {id(pair.old) for pair in self.roles}
        return tuple(each for each in self.old.roles.values() if id(each) not in known)


@dataclass(frozen=True)
class AttributePair:
    """An attribute in the old and in the new model."""

    owner: ClassPair
    old: Attribute
    new: Attribute
    stored_name: str

    @property
    def subject(self) -> str:
        """The name of the attribute in the new model."""
        return f"{self.owner.new.name}.{self.new.name}"

    @property
    def built_for(self) -> tuple[str, ...]:
        """The `@unique` and `@index` of the new model that name the attribute."""
        class_ = self.owner.new
        return tuple(
            directive_text(name, each.attributes)
            for name, group in (("unique", class_.uniques), ("index", class_.indexes))
            for each in group
            if self.new.name in each.attributes
        )


@dataclass(frozen=True)
class RolePair:
    """A role in the old and in the new model."""

    owner: ClassPair
    old: Role
    new: Role
    stored_name: str

    @property
    def subject(self) -> str:
        """The name of the role in the new model."""
        return f"{self.owner.new.name}.{self.new.name}"


@dataclass(frozen=True)
class ModelComparison:
    """Two models, with what they have in common by stored names."""

    old: Model
    new: Model

    @cached_property
    def old_names(self) -> StoredNames:
        """The stored names of the old model."""
        return StoredNames(self.old)

    @cached_property
    def new_names(self) -> StoredNames:
        """The stored names of the new model."""
        return StoredNames(self.new)

    @cached_property
    def classes(self) -> tuple[ClassPair, ...]:
        """The classes that both models have, in the order of the new one."""
        old = self.old_names.by_stored_name
        return tuple(
            ClassPair(
                self, self.old.classes[old[stored].name], self.new.classes[names.name], old[stored], names
            )
            for stored, names in self.new_names.by_stored_name.items()
            if stored in old
        )

    @property
    def added_classes(self) -> tuple[Class, ...]:
        """The classes that only the new model has."""
        known = {pair.new.name for pair in self.classes}
        return tuple(each for each in self.new.classes.values() if each.name not in known)

    @property
    def removed_classes(self) -> tuple[Class, ...]:
        """The classes that only the old model has."""
        known = {pair.old.name for pair in self.classes}
        return tuple(each for each in self.old.classes.values() if each.name not in known)


Rule = Callable[[ModelComparison, Sequence[Any]], Changes]
"""A kind of change: yields its changes for a comparison, and for the names that were removed before."""


def each_class(rule: Callable[[ClassPair], Changes]) -> Rule:
    """Return the rule for two models that consists of a rule for each class that both have."""
    return lambda comparison, _: (change for pair in comparison.classes for change in rule(pair))


def each_attribute(rule: Callable[[AttributePair], Changes]) -> Rule:
    """Return the rule for two models that consists of a rule for each attribute that both have."""
    return each_class(lambda owner: (change for pair in owner.attributes for change in rule(pair)))


def each_role(rule: Callable[[RolePair], Changes]) -> Rule:
    """Return the rule for two models that consists of a rule for each role that both have."""
    return each_class(lambda owner: (change for pair in owner.roles for change in rule(pair)))


def directive_text(name: str, attributes: Iterable[str]) -> str:
    """Return an `@unique` or an `@index` as messages show it."""
    return f"@{name}({', '.join(attributes)})"


def probable_rename(removed: str, added: Sequence[str], all_removed: Sequence[str]) -> str | None:
    """Return which added name probably is the new one of a removed name, None if that can't be told.

    It is the most similar name. If there is only one removed and one added name, it is that, similar or not.
    `added`, `all_removed`: the names of what is of the same kind, at the same place.
    """
    if len(added) == 1 and len(all_removed) == 1:
        return added[0]

    def similarity(name: str) -> float:
        one, other = removed.lower(), name.lower()
        if one in other or other in one:
            return 1.0
        return SequenceMatcher(None, one, other).ratio()

    best = max(added, key=similarity, default=None)
    return best if best is not None and similarity(best) >= _MIN_SIMILARITY else None
