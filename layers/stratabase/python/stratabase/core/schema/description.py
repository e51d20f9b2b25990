"""Describe a model as a profile may use it, for clients that are written for any model.

What is made of anything that the profile may not use is left out, so two models that differ only in that
have the same description. Expressions and conditions are only for administrators.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import orjson

from stratabase.core.domain.access.extents import Extent, Extents
from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.caller import Caller
from stratabase.core.model.api_names import SortDirection, sort_value
from stratabase.core.model.attribute import Attribute, Derivation, Origin
from stratabase.core.model.dependencies import all_dependencies
from stratabase.core.model.model import (
    Action,
    Class,
    Model,
    Profile,
    Role,
    WarningDefinition,
    lies_within,
)
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.types.base import text_of
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.schema.execution.cache import BoundedCache, gzip_compress, gzip_decompress
from stratabase.core.schema.executor import ProfileSchemas
from stratabase.core.schema.generate import RootType
from stratabase.core.schema.types.attributes import ID_ATTRIBUTE, writable_attributes

_MAX_CACHED = 16
"""In descriptions, of different profiles. Each takes a few kilobytes."""
_DEFAULT_ORDER = sort_value(ID_ATTRIBUTE.name, SortDirection.ASCENDING)
Described = dict[str, Any]


class ModelDescriptions:
    """The descriptions of one model, each made for a profile when it is first asked for."""

    def __init__(self, model: Model, schemas: ProfileSchemas) -> None:
        """`model`: the one with users. `schemas`: what profiles see of its schema."""
        self._model = model
        self._schemas = schemas
        self._known: BoundedCache[str, bytes] = BoundedCache(_MAX_CACHED)

    def of(self, caller: Caller) -> bytes:
        """Return the description for a caller, in JSON. Raises Refused for one who may use no service."""
        make = partial(self._make, caller.profile)
        return gzip_decompress(self._known.get_or_make(caller.profile, make))

    def _make(self, profile: str) -> bytes:
        seen = self._schemas.of(profile)
        schema = seen.load()
        roots = [root for root in (schema.query_type, schema.mutation_type) if isinstance(root, RootType)]
        services = {
            class_.name: [name for root in roots for name in root.of(class_)]
            for class_ in self._model.classes.values()
        }
        return gzip_compress(orjson.dumps(describe_model(self._model, profile, seen.access, services)))


def describe_model(
    model: Model, profile: str, access: Access | None, services: Mapping[str, list[str]]
) -> Described:
    """Return the description of a model for a profile.

    `access`: None if the profile may do everything. `services`: by class, the names of the services that it
    may use.
    """
    known = model.profiles.get(profile)
    administrator = known is not None and known.administrator
    one = _Description(model, access, services, is_complete=administrator)
    return {
        "application": model.application,
        "profile": profile,
        "administrator": administrator,
        "profiles": [
            _profile(model, each) for each in model.profiles.values() if administrator or each is known
        ],
        "classes": [*one.classes()],
    }


def _profile(model: Model, profile: Profile) -> Described:
    narrower = [name for name in model.profiles if lies_within(model.profiles, name, profile.name)]
    return {"name": profile.name, "administrator": profile.administrator, "narrower": narrower}


class _Description:
    """What one profile may use of a model. If it `is_complete`, it also has expressions and conditions."""

    def __init__(
        self, model: Model, access: Access | None, services: Mapping[str, list[str]], *, is_complete: bool
    ) -> None:
        self._model = model
        self._extents = Extents(model, access)
        self._services = services
        self._is_complete = is_complete

    def classes(self) -> Iterator[Described]:
        """Yield the descriptions of the classes that the profile may use."""
        return (self._class(each) for each in self._model.classes.values() if self._is_used(each))

    def _is_used(self, class_: Class) -> bool:
        return any(self._extents.of_class(class_, action) is not Extent.NEVER for action in Action)

    def _class(self, class_: Class) -> Described:
        attributes = [each for one in class_.attributes.values() if (each := self._attribute(class_, one))]
        roles = [each for one in class_.roles.values() if (each := self._role(class_, one))]
        wholes = [each["target"] for each in roles if each["kind"] == "WHOLE"]
        return {
            "name": class_.name,
            **_described(class_.description),
            **({"group": class_.group} if class_.group is not None else {}),
            "kind": class_.kind.value,
            "versioned": class_.versioned,
            "exposed": class_.exposed,
            **{action.value.lower(): self._extents.of_class(class_, action).value for action in Action},
            **self._label(class_),
            "platformAttributes": [
                each["name"]
                for each in attributes
                if class_.attributes[each["name"]].origin is Origin.PLATFORM
            ],
            "partOf": list(dict.fromkeys(wholes)),
            "uniques": [list(each) for each in self._uniques(class_)],
            "attributes": attributes,
            "roles": roles,
            "warnings": [self._warning(each) for each in class_.warnings if self._shows(class_, each)],
            "services": self._services[class_.name],
        }

    def _label(self, class_: Class) -> Described:
        attribute = class_.label_attribute
        extent = Extent.NEVER if attribute is None else self._extents.of_value(class_, attribute.name)
        is_shown = self._is_complete and class_.label is not None
        return {
            "label": extent.value,
            **({"labelExpression": class_.label} if is_shown else {}),
            "labelOf": self._sources(class_, attribute) if attribute and extent is not Extent.NEVER else [],
        }

    def _sources(self, class_: Class, label: Attribute) -> list[str]:
        """Return the attributes and roles of the class that its label is made of, in the model's order."""
        expression = expressions_of(self._model).derived(class_.name, label)
        named = {label.name} if expression is None else {path[0] for path in expression.paths}
        return [name for name in (*class_.attributes, *class_.roles) if name in named]

    def _uniques(self, class_: Class) -> Iterator[tuple[str, ...]]:
        for each in class_.uniques:
            if all(self._is_readable(class_, name) for name in each.attributes):
                yield each.attributes

    def _is_readable(self, class_: Class, name: str) -> bool:
        role = class_.roles.get(name)
        if role is None:
            return self._extents.capabilities.reads(class_, name)
        return self._extents.capabilities.follows(class_, role)

    def _attribute(self, class_: Class, attribute: Attribute) -> Described | None:
        """Return the description of an attribute, None if the profile may neither read nor set it."""
        read = self._extents.of_value(class_, attribute.name)
        use = self._use(class_, attribute.name, read, is_set=attribute in writable_attributes(class_))
        if use is None:
            return None
        domain, file = (
            {
                name: value
                for each in attribute.constraints
                if each.directive == directive
                for name, value in each.argument_values().items()
            }
            for directive in ("domain", "file")
        )
        return {
            "name": attribute.name,
            **_described(attribute.description),
            "type": attribute.type.name,
            **self._values(attribute),
            "required": attribute.required,
            **({} if attribute.default is None else {"default": text_of(attribute.default)}),
            **({"domain": domain} if domain else {}),
            **({} if attribute.type.folding is None else {"compare": attribute.type.folding.name}),
            **({"file": file} if file else {}),
            "derived": attribute.derivation is not None,
            **self._derivation(attribute.derivation),
            "unique": (attribute.name,) in {each.attributes for each in class_.uniques},
            **use,
        }

    def _use(self, class_: Class, name: str, read: Extent, *, is_set: bool) -> Described | None:
        """Return how far the profile may read and set an attribute or a role, None if nowhere."""
        create, edit = (
            self._extents.of_setting(class_, name, action) if is_set else Extent.NEVER
            for action in (Action.CREATE, Action.EDIT)
        )
        if {read, create, edit} == {Extent.NEVER}:
            return None
        return {"readable": read.value, "creatable": create.value, "editable": edit.value}

    def _values(self, attribute: Attribute) -> Described:
        if not isinstance(attribute.type, EnumType):
            return {}
        values = self._model.enumerations[attribute.type.name].values
        return {"values": [{"name": name, **_described(text)} for name, text in values.items()]}

    def _derivation(self, derivation: Derivation | None) -> Described:
        if derivation is None or not self._is_complete:
            return {}
        if derivation.expression is not None:
            return {"derivation": {"expression": derivation.expression}}
        aggregate = {"aggregate": derivation.aggregate.value} if derivation.aggregate else {}
        return {"derivation": {"path": ".".join(derivation.path), **aggregate}}

    def _role(self, class_: Class, role: Role) -> Described | None:
        """Return the description of a role, None if the profile may neither follow nor set it."""
        is_set = not role.whole and role.recorded_in is None
        use = self._use(class_, role.name, self._extents.of_role(class_, role), is_set=is_set)
        if use is None:
            return None
        target = self._model.classes[role.target]
        back = None if role.opposite is None else target.roles[role.opposite]
        is_known = back is not None and self._extents.capabilities.follows(target, back)
        return {
            "name": role.name,
            **_described(role.description),
            "target": role.target,
            "kind": "COMPOSITION" if role.composition else "WHOLE" if role.whole else "ASSOCIATION",
            **({"opposite": role.opposite} if is_known else {}),
            "min": int(role.required),
            **({"order": _DEFAULT_ORDER} if role.many else {"max": 1}),
            "key": role.is_own_key,
            **use,
        }

    def _warning(self, warning: WarningDefinition) -> Described:
        if not self._is_complete:
            return {"name": warning.name}
        return {
            "name": warning.name,
            "message": warning.message,
            "blocking": warning.blocking,
            "condition": warning.condition,
        }

    def _shows(self, class_: Class, warning: WarningDefinition) -> bool:
        """Return whether the profile may read everything in the condition of a warning."""
        condition = expressions_of(self._model).condition(class_.name, warning.condition)
        sources = all_dependencies(self._model, class_.name, condition.paths)
        return all(self._is_readable(self._model.classes[owner], name) for owner, name in sources)


def _described(text: str | None) -> Described:
    return {} if text is None else {"description": text}
