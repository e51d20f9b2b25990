"""A model as it is written: not yet known to be right, every word with its place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql.language import (
    ArgumentNode,
    DefinitionNode,
    DirectiveNode,
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    NamedTypeNode,
    Node,
    ObjectTypeDefinitionNode,
    StringValueNode,
    ValueNode,
)

from stratabase.model.class_ import Kind, PlatformAttribute
from stratabase.model.types.base import AttributeType

Item = tuple[Any, ValueNode]
"""A value, and where it stands."""


@dataclass(frozen=True, slots=True)
class Use:
    """A directive where it stands: the values of its arguments, and the nodes of those that are written."""

    name: str
    node: DirectiveNode
    values: Mapping[str, Any]
    given: Mapping[str, ArgumentNode]
    items: Mapping[str, tuple[Item, ...]]
    """Those of its lists that are written, each with its place."""
    sound: bool = True
    """Nothing is wrong with its arguments; so what is absent was left out on purpose."""

    def __getitem__(self, argument: str) -> Any:
        return self.values[argument]

    def each(self, argument: str) -> tuple[Item, ...]:
        """Return the items of a list, each with its place."""
        return self.items.get(argument, ())

    def at(self, argument: str) -> Node:
        """Return where an argument's value stands; where it is left out, the directive."""
        return self.given[argument].value if argument in self.given else self.node


@dataclass(frozen=True, slots=True)
class Directed:
    """Something that directives stand on."""

    uses: tuple[Use, ...]

    def use(self, name: str) -> Use | None:
        """Return the directive of that name."""
        return next((use for use in self.uses if use.name == name), None)

    def all(self, name: str) -> Iterator[Use]:
        """Yield the directives of that name."""
        return (use for use in self.uses if use.name == name)


@dataclass(frozen=True, slots=True)
class Member(Directed):
    """A field of a class: an attribute (`type`), a role (`leads_to`), or of a type that nobody knows."""

    owner: str
    name: str
    node: FieldDefinitionNode
    named: NamedTypeNode
    """The type's name, whatever brackets are around it."""
    many: bool
    required: bool
    type: AttributeType | None = None
    leads_to: str | None = None

    @property
    def full_name(self) -> str:
        """The name as messages show it."""
        return f"{self.owner}.{self.name}"

    @property
    def target(self) -> str:
        """The name of the type, which is the class that a role leads to."""
        return self.named.name.value

    @property
    def is_composition(self) -> bool:
        """Whether it leads to parts."""
        return self.leads_to is not None and self.use("composition") is not None

    @property
    def is_association(self) -> bool:
        """Whether it leads to objects that stand for themselves."""
        return self.leads_to is not None and self.use("composition") is None

    @property
    def is_derived(self) -> bool:
        """Whether it is computed."""
        return self.type is not None and self.use("derived") is not None


@dataclass(frozen=True, slots=True)
class Written(Directed):
    """A type of the model."""

    name: str
    node: ObjectTypeDefinitionNode
    fields: tuple[Member, ...]
    """All fields, also those whose name is taken."""
    members: Mapping[str, Member]

    @property
    def kind(self) -> Kind:
        """What objects it has."""
        use = self.use("class")
        return Kind(use["kind"]) if use else Kind.ORDINARY

    @property
    def versioned(self) -> bool:
        """Whether its objects have versions."""
        use = self.use("class")
        return bool(use and use["versioned"])

    @property
    def platform(self) -> tuple[PlatformAttribute, ...]:
        """What the service records of its objects."""
        use = self.use("class")
        return tuple(PlatformAttribute[word] for word in (use["platform"] if use else None) or ())

    @property
    def attributes(self) -> dict[str, Member]:
        """The native and the derived attributes."""
        return {name: member for name, member in self.members.items() if member.type}

    @property
    def roles(self) -> dict[str, Member]:
        """The roles, without those that lead back from a part."""
        return {name: member for name, member in self.members.items() if member.leads_to}


@dataclass(frozen=True, slots=True)
class Back:
    """The role that a composition makes from its part to its whole."""

    name: str
    composition: Member

    @property
    def place(self) -> Node:
        """Where its name comes from."""
        use = self.composition.use("composition")
        assert use is not None
        return use.at("whole") if "whole" in use.given else self.composition.node.name


@dataclass(frozen=True, slots=True)
class Manuscript(Directed):
    """All that is written; `uses` are those of the schema, of which `schema` is the first extension."""

    file: str
    definitions: tuple[DefinitionNode, ...]
    schema: Node | None
    types: Mapping[str, AttributeType]
    classes: Mapping[str, Written] = field(default_factory=dict)
    enumerations: Mapping[str, EnumTypeDefinitionNode] = field(default_factory=dict)
    backs: Mapping[str, tuple[Back, ...]] = field(default_factory=dict)
    """By the name of the part."""
    unread: frozenset[str] = frozenset()
    """Defined where the syntax is wrong: nothing is known of them but that they are."""
    schema_unread: bool = False

    @property
    def members(self) -> Iterator[Member]:
        """Every field of every class."""
        return (member for one in self.classes.values() for member in one.fields)

    def is_part(self, class_name: str) -> bool:
        """Whether some composition leads to the class."""
        return class_name in self.backs


def inside(node: Node, index: int) -> int:
    """Return how many columns into a quoted text its character `index` stands (0: cannot be said)."""
    assert node.loc is not None
    plain = isinstance(node, StringValueNode) and node.loc.end - node.loc.start == len(node.value) + 2
    return index + 1 if plain else 0
