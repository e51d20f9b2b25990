"""The draft of a model: what is written, every word with its place, not yet known to be right."""

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

from stratabase.model.model import ClassKind, PlatformAttribute
from stratabase.model.types.base import AttributeType

Item = tuple[Any, ValueNode]
"""A value, and where it stands."""


@dataclass(frozen=True, slots=True)
class DirectiveUse:
    """A directive where it stands: the values of its arguments, and the nodes of those that are written."""

    name: str
    node: DirectiveNode
    values: Mapping[str, Any]
    written: Mapping[str, ArgumentNode]
    items: Mapping[str, tuple[Item, ...]]
    """Those of its lists that are written, each with its place."""
    is_valid: bool = True
    """Nothing is wrong with its arguments; so what is absent was left out on purpose."""

    def __getitem__(self, argument: str) -> Any:
        return self.values[argument]

    def items_of(self, argument: str) -> tuple[Item, ...]:
        """Return the items of a list, each with its place."""
        return self.items.get(argument, ())

    def node_of(self, argument: str) -> Node:
        """Return where an argument's value stands; where it is left out, the directive."""
        return self.written[argument].value if argument in self.written else self.node


@dataclass(frozen=True, slots=True)
class HasDirectives:
    """Something that directives stand on."""

    uses: tuple[DirectiveUse, ...]

    def directive(self, name: str) -> DirectiveUse | None:
        """Return the directive of that name."""
        return next((use for use in self.uses if use.name == name), None)

    def directives(self, name: str) -> Iterator[DirectiveUse]:
        """Yield the directives of that name."""
        return (use for use in self.uses if use.name == name)


@dataclass(frozen=True, slots=True)
class FieldDraft(HasDirectives):
    """A field of a class: an attribute (`type`), a role (`leads_to`), or of a type that nobody knows."""

    owner: str
    name: str
    node: FieldDefinitionNode
    type_node: NamedTypeNode
    """The type's name, whatever brackets are around it."""
    many: bool
    required: bool
    type: AttributeType | None = None
    target_class: str | None = None

    @property
    def full_name(self) -> str:
        """The name as messages show it."""
        return f"{self.owner}.{self.name}"

    @property
    def target(self) -> str:
        """The name of the type, which is the class that a role leads to."""
        return self.type_node.name.value

    @property
    def is_composition(self) -> bool:
        """Whether it leads to parts."""
        return self.target_class is not None and self.directive("composition") is not None

    @property
    def is_association(self) -> bool:
        """Whether it leads to objects that stand for themselves."""
        return self.target_class is not None and self.directive("composition") is None

    @property
    def is_derived(self) -> bool:
        """Whether it is computed."""
        return self.type is not None and self.directive("derived") is not None


@dataclass(frozen=True, slots=True)
class ClassDraft(HasDirectives):
    """A type of the model."""

    name: str
    node: ObjectTypeDefinitionNode
    fields: tuple[FieldDraft, ...]
    """All fields, also those whose name is taken."""
    fields_by_name: Mapping[str, FieldDraft]

    @property
    def kind(self) -> ClassKind:
        """What objects it has."""
        use = self.directive("class")
        return ClassKind(use["kind"]) if use else ClassKind.ORDINARY

    @property
    def versioned(self) -> bool:
        """Whether its objects have versions."""
        use = self.directive("class")
        return bool(use and use["versioned"])

    @property
    def platform(self) -> tuple[PlatformAttribute, ...]:
        """What the service records of its objects."""
        use = self.directive("class")
        return tuple(PlatformAttribute[word] for word in (use["platform"] if use else None) or ())

    @property
    def attributes(self) -> dict[str, FieldDraft]:
        """The native and the derived attributes."""
        return {name: member for name, member in self.fields_by_name.items() if member.type}

    @property
    def roles(self) -> dict[str, FieldDraft]:
        """The roles, without those that lead back from a part."""
        return {name: member for name, member in self.fields_by_name.items() if member.target_class}


@dataclass(frozen=True, slots=True)
class WholeRole:
    """The role that a composition makes from its part to its whole."""

    name: str
    composition: FieldDraft

    @property
    def place(self) -> Node:
        """Where its name comes from."""
        use = self.composition.directive("composition")
        assert use is not None
        return use.node_of("whole") if "whole" in use.written else self.composition.node.name


@dataclass(frozen=True, slots=True)
class ModelDraft(HasDirectives):
    """All that is written; `uses` are those of the schema, of which `schema` is the first extension."""

    file: str
    definitions: tuple[DefinitionNode, ...]
    schema: Node | None
    types: Mapping[str, AttributeType]
    classes: Mapping[str, ClassDraft] = field(default_factory=dict)
    enumerations: Mapping[str, EnumTypeDefinitionNode] = field(default_factory=dict)
    whole_roles: Mapping[str, tuple[WholeRole, ...]] = field(default_factory=dict)
    """By the name of the part."""
    unparsed: frozenset[str] = frozenset()
    """Defined where the syntax is wrong: nothing is known of them but that they are."""
    schema_unparsed: bool = False

    @property
    def fields(self) -> Iterator[FieldDraft]:
        """Every field of every class."""
        return (member for one in self.classes.values() for member in one.fields)

    def is_part(self, class_name: str) -> bool:
        """Whether some composition leads to the class."""
        return class_name in self.whole_roles


def column_offset(node: Node, index: int) -> int:
    """Return how many columns into a quoted text its character `index` stands (0: cannot be said)."""
    assert node.loc is not None
    plain = isinstance(node, StringValueNode) and node.loc.end - node.loc.start == len(node.value) + 2
    return index + 1 if plain else 0
