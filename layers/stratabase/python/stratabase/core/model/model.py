"""The model: the classes, attributes, roles, enums and profiles of one application."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import MappingProxyType

from stratabase.core.model.api_names import ID, LABEL
from stratabase.core.model.attribute import Attribute, Derivation, Origin, StateReader
from stratabase.core.model.types import LABEL_TYPE, TYPES
from stratabase.core.model.types.base import Stored
from stratabase.values.frozen import frozen

_STRING = TYPES["String"].name


@frozen
class Role:
    """A named way from a class to objects: an association, a composition, or a role back to the whole."""

    name: str
    target: str
    """The name of the class that the role leads to."""
    many: bool = False
    required: bool = False
    """At least one object is required."""
    opposite: str | None = None
    """The role of `target` that leads back, or None if there is none."""
    composition: bool = False
    """The objects that the role leads to are parts of this object."""
    whole: bool = False
    """The role leads from a part to its whole. It is read-only; the composition determines it."""
    holds_key: bool = False
    """Objects of this class store the key of the associated object. Only a to-one role can hold the key."""
    description: str | None = None
    renamed_from: str | None = None
    """The name under which associations are stored, if that is not the role's name."""
    recorded_in: str | None = None
    """The platform attribute that records the member to whom the role leads; None for all other roles."""

    @property
    def is_own_key(self) -> bool:
        """Whether states of the class contain the ID of the role's target, so that `@unique` can name it."""
        return self.holds_key or self.whole


class ClassKind(Enum):
    """How many objects a class has, and whether they are stored."""

    ORDINARY = "ORDINARY"
    SINGLETON = "SINGLETON"
    """Exactly one object, which always exists."""
    FORM = "FORM"
    """Objects that are never stored."""
    USERS = "USERS"
    """The members (`model.users`). No model can define a class of this kind."""


class PlatformAttribute(Enum):
    """An attribute that Stratabase sets itself. The value is its name in the API."""

    CREATED_BY = "_createdby"
    CREATED_ON = "_createdon"
    LAST_MODIFIED_BY = "_lastmodifiedby"
    LAST_MODIFIED_ON = "_lastmodifiedon"
    OWNED_BY = "_ownedby"
    OWNED_ON = "_ownedon"


class Action(Enum):
    """An action that a grant allows."""

    READ = "READ"
    CREATE = "CREATE"
    EDIT = "EDIT"
    DELETE = "DELETE"


class DefaultAccess(Enum):
    """What a profile may do with the classes that name it in no grant."""

    NONE = "NONE"
    READ = "READ"
    FULL = "FULL"

    @property
    def actions(self) -> frozenset[Action]:
        """The permitted actions."""
        return _DEFAULT_ACTIONS[self]


_DEFAULT_ACTIONS: Mapping[DefaultAccess, frozenset[Action]] = MappingProxyType(
    {
        DefaultAccess.NONE: frozenset(),
        DefaultAccess.READ: frozenset({Action.READ}),
        DefaultAccess.FULL: frozenset(Action),
    }
)


@frozen
class Unique:
    """A uniqueness constraint: no two objects have the same values of these attributes.

    Roles whose keys the objects hold count as attributes. Their value is the ID of the target.
    """

    attributes: tuple[str, ...]


@frozen
class Index:
    """An index over these attributes, in this order. As in `Unique`, some may be roles."""

    attributes: tuple[str, ...]


@frozen
class WarningDefinition:
    """A condition (CEL) that objects should not meet when they are written.

    If `blocking`, it always stops the write. Otherwise, the client can confirm the write with
    `forceWarnings`.
    """

    name: str
    condition: str
    message: str
    blocking: bool = False


@frozen
class Grant:
    """What a profile may do with a class, or with one `member` (attribute or role) of it.

    `where` limits the grant to the objects for which this condition (CEL) is true.
    """

    profile: str
    allow: frozenset[Action]
    where: str | None = None
    field: str | None = None


@dataclass(frozen=True)
class Class:
    """A class of the model. `attributes` holds native, platform and derived ones, in the model's order."""

    name: str
    kind: ClassKind = ClassKind.ORDINARY
    attributes: Mapping[str, Attribute] = field(default_factory=lambda: MappingProxyType({}))
    roles: Mapping[str, Role] = field(default_factory=lambda: MappingProxyType({}))
    uniques: tuple[Unique, ...] = ()
    indexes: tuple[Index, ...] = ()
    warnings: tuple[WarningDefinition, ...] = ()
    grants: tuple[Grant, ...] = ()
    platform: frozenset[PlatformAttribute] = frozenset()
    versioned: bool = False
    exposed: bool = True
    """The class has services of its own. For parts, the model must ask for them."""
    label: str | None = None
    """The expression (CEL) of the label of an object. None: the default of `label_attribute`."""
    group: str | None = None
    """The heading under which clients list the class, if the model says one."""
    part: bool = False
    """The objects are parts: at least one composition leads to the class."""
    description: str | None = None
    renamed_from: str | None = None
    """The name under which objects are stored, if that is not the name of the class."""

    @property
    def stored_name(self) -> str:
        """The name under which objects are stored."""
        return self.renamed_from or self.name

    @cached_property
    def is_stored(self) -> bool:
        """Whether objects of the class are stored as objects. Members are stored apart from them."""
        return self.kind in {ClassKind.ORDINARY, ClassKind.SINGLETON}

    @cached_property
    def derived(self) -> frozenset[str]:
        """The attributes that are computed at each read, so that no state and no index contains them."""
        return frozenset(name for name, each in self.attributes.items() if each.origin is Origin.DERIVED)

    @cached_property
    def label_attribute(self) -> Attribute | None:
        """The attribute whose value is the label of an object; None if the class has no label.

        A label that shows one stored attribute is that attribute, in another type, so that it costs no more.
        Any other is a derived attribute `_label`, which is not among `attributes`.
        """
        text = self._default_label if self.label is None else self.label
        if text is None:
            return None
        name = text.strip()
        if name in self.attributes or name == ID:
            return Attribute(name, LABEL_TYPE)
        return Attribute(LABEL, LABEL_TYPE, origin=Origin.DERIVED, derivation=Derivation(text))

    @property
    def _default_label(self) -> str | None:
        unique = {each.attributes[0] for each in self.uniques if len(each.attributes) == 1}
        texts = (
            name for name, each in self.attributes.items() if each.required and each.type.name == _STRING
        )
        return next((name for name in self.attributes if name in unique), next(texts, None))

    def attribute(self, name: str) -> Attribute | None:
        """Return an attribute of the class, also the derived attribute of its label."""
        return self.label_attribute if name == LABEL else self.attributes.get(name)

    @cached_property
    def required_attributes(self) -> tuple[str, ...]:
        """The attributes that clients must give a value: the service numbers Serials itself."""
        return tuple(
            name for name, each in self.attributes.items() if each.required and not each.type.numbered
        )

    @cached_property
    def serials(self) -> tuple[str, ...]:
        """The attributes that the service numbers."""
        return tuple(
            name
            for name, each in self.attributes.items()
            if each.type.numbered and each.origin is Origin.NATIVE
        )

    @cached_property
    def has_files(self) -> bool:
        """Whether the class has an attribute with a file."""
        return any(each.type.holds_file for each in self.attributes.values())

    @cached_property
    def defaults(self) -> Mapping[str, Stored]:
        """By attribute with a default: the default, in its stored form."""
        return {name: each.default for name, each in self.attributes.items() if each.default is not None}

    @cached_property
    def state_reader(self) -> StateReader:
        """Reads stored states as the class shows them."""
        return StateReader(self.attributes)

    @cached_property
    def foreign_keys(self) -> tuple[Role, ...]:
        """The roles whose keys are in the objects' state."""
        return tuple(role for role in self.roles.values() if role.holds_key)

    @cached_property
    def required_roles(self) -> tuple[Role, ...]:
        """The roles that must lead to an object."""
        return tuple(role for role in self.roles.values() if role.required)

    @cached_property
    def state_names(self) -> frozenset[str]:
        """The names of the attributes and roles whose values are in the objects' state."""
        kept = (role.name for role in self.roles.values() if role.holds_key or role.composition or role.whole)
        return frozenset((*self.attributes, *kept))

    @cached_property
    def compositions(self) -> tuple[Role, ...]:
        """The roles that lead to parts."""
        return tuple(role for role in self.roles.values() if role.composition)


@frozen
class Profile:
    """A kind of member, such as `Administrator`."""

    name: str
    administrator: bool = False
    renamed_from: str | None = None
    """The former name, which members may still have stored. None: the profile always had this name."""
    access: DefaultAccess = DefaultAccess.NONE
    """What the profile may do with the classes that name it in no grant. Administrators may do everything."""
    within: tuple[str, ...] = ()
    """The names of wider profiles, which may do all that this one may."""


def lies_within(profiles: Mapping[str, Profile], narrower: str, wider: str) -> bool:
    """Return whether a profile lies within another one, directly or through profiles between them.

    A profile does not lie within itself, and one that is not among `profiles` lies within none.
    """
    found: set[str] = set()
    names = [narrower]
    while names:
        profile = profiles.get(names.pop())
        above = () if profile is None else tuple(name for name in profile.within if name not in found)
        found.update(above)
        names += above
    return narrower != wider and wider in found and wider in profiles


@frozen
class Enumeration:
    """An enum of the model: its values in order, each with its description."""

    name: str
    values: Mapping[str, str | None]
    description: str | None = None
    renamed_from: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """By value: the name under which it is stored, for values that are stored under another name."""


@frozen
class Model:
    """One application: its classes, enums and profiles, by name in the model's order."""

    application: str
    classes: Mapping[str, Class]
    enumerations: Mapping[str, Enumeration] = field(default_factory=lambda: MappingProxyType({}))
    profiles: Mapping[str, Profile] = field(default_factory=lambda: MappingProxyType({}))
    user_grants: tuple[Grant, ...] = ()
    """The grants on the class of the members (`model.users`)."""

    def administrator_profile(self) -> str:
        """Return the name of the first administrator profile."""
        return next(profile.name for profile in self.profiles.values() if profile.administrator)
