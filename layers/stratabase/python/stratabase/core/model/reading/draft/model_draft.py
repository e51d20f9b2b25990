"""The draft of a model: its definitions with the place of each word, which may still have errors."""

from collections.abc import Iterator, Mapping
from dataclasses import field
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
    ObjectTypeExtensionNode,
    StringValueNode,
    ValueNode,
)

from stratabase.core.model.model import ClassKind, PlatformAttribute
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.users import USER
from stratabase.values.frozen import frozen

ListItem = tuple[Any, ValueNode]
"""A value of a list, and the node that holds its place."""


@frozen
class DirectiveUse:
    """A directive on a definition of the model.

    `values` has the value of each argument, including defaults. `written` has the nodes of those that the
    model gives.
    """

    name: str
    node: DirectiveNode
    values: Mapping[str, Any]
    written: Mapping[str, ArgumentNode]
    items: Mapping[str, tuple[ListItem, ...]]
    """For each list argument that the model gives: the items with their places."""
    is_valid: bool = True
    """The arguments have no errors, so absent ones were left out on purpose."""

    def __getitem__(self, argument: str) -> Any:
        return self.values[argument]

    def items_of(self, argument: str) -> tuple[ListItem, ...]:
        """Return the items of a list argument, each with its place."""
        return self.items.get(argument, ())

    def node_of(self, argument: str) -> Node:
        """Return the node of an argument's value, or of the directive if the argument is left out."""
        return self.written[argument].value if argument in self.written else self.node


@frozen
class HasDirectives:
    """A definition that can have directives."""

    uses: tuple[DirectiveUse, ...]

    def directive(self, name: str) -> DirectiveUse | None:
        """Return the first directive of this name, or None."""
        return next((use for use in self.uses if use.name == name), None)

    def directives(self, name: str) -> Iterator[DirectiveUse]:
        """Yield all directives of this name."""
        return (use for use in self.uses if use.name == name)


@frozen
class FieldDraft(HasDirectives):
    """A field of a class: an attribute (has a `type`), a role (has a `target_class`), or neither."""

    owner: str
    name: str
    node: FieldDefinitionNode
    type_node: NamedTypeNode
    """The named type, without the brackets of lists and the marks of required types."""
    many: bool
    required: bool
    type: AttributeType | None = None
    target_class: str | None = None

    @property
    def full_name(self) -> str:
        """The name in messages, such as `Employee.email`."""
        return f"{self.owner}.{self.name}"

    @property
    def target(self) -> str:
        """The name of the type: for a role, the class that it leads to."""
        return self.type_node.name.value

    @property
    def is_composition(self) -> bool:
        """Whether the field is a composition: a role to parts."""
        return self.target_class is not None and self.directive("composition") is not None

    @property
    def is_association(self) -> bool:
        """Whether the field is an association: a role to objects that are not parts of this one."""
        return self.target_class is not None and self.directive("composition") is None

    @property
    def is_user_role(self) -> bool:
        """Whether the field is a role that leads to a member."""
        return self.target_class == USER

    @property
    def is_derived(self) -> bool:
        """Whether the field is a derived attribute."""
        return self.type is not None and self.directive("derived") is not None


@frozen
class ClassDraft(HasDirectives):
    """A class of the model, as its `type` defines it, or what the model adds to `_User`."""

    name: str
    node: ObjectTypeDefinitionNode | ObjectTypeExtensionNode
    fields: tuple[FieldDraft, ...]
    """All fields, including repeated names. `fields_by_name` has only the first field of each name."""
    fields_by_name: Mapping[str, FieldDraft]

    @property
    def kind(self) -> ClassKind:
        """The kind of the class."""
        use = self.directive("class")
        return ClassKind(use["kind"]) if use else ClassKind.ORDINARY

    @property
    def versioned(self) -> bool:
        """Whether the objects of the class have versions."""
        use = self.directive("class")
        return bool(use and use["versioned"])

    @property
    def platform(self) -> tuple[PlatformAttribute, ...]:
        """The platform attributes that the class records."""
        use = self.directive("class")
        return tuple(PlatformAttribute[word] for word in (use["platform"] if use else None) or ())

    @property
    def attributes(self) -> dict[str, FieldDraft]:
        """The native and derived attributes, by name."""
        return {name: member for name, member in self.fields_by_name.items() if member.type}

    @property
    def roles(self) -> dict[str, FieldDraft]:
        """The roles that the class itself defines, by name, without those from a part to its whole."""
        return {name: member for name, member in self.fields_by_name.items() if member.target_class}


@frozen
class WholeRole:
    """The role from a part to its whole, which follows from a composition."""

    name: str
    composition: FieldDraft

    @property
    def place(self) -> Node:
        """The node that gives the role its name: the argument `whole`, or the name of the composition."""
        use = self.composition.directive("composition")
        assert use is not None
        return use.node_of("whole") if "whole" in use.written else self.composition.node.name


@frozen
class ModelDraft(HasDirectives):
    """The draft of a whole model. Its own directives are those of the schema."""

    file: str
    definitions: tuple[DefinitionNode, ...]
    schema: Node | None
    types: Mapping[str, AttributeType]
    classes: Mapping[str, ClassDraft] = field(default_factory=dict)
    users: ClassDraft | None = None
    """The grants on `_User`. Its fields are the attributes that grants narrow."""
    enumerations: Mapping[str, EnumTypeDefinitionNode] = field(default_factory=dict)
    renamed_values: Mapping[str, Mapping[str, DirectiveUse]] = field(default_factory=dict)
    """By enum and value: the `@renamed` of the value."""
    whole_roles: Mapping[str, tuple[WholeRole, ...]] = field(default_factory=dict)
    """The roles from parts to their wholes, by the name of the part's class."""
    unparsed: frozenset[str] = frozenset()
    """The names of definitions with syntax errors. Nothing else is known of them."""
    schema_unparsed: bool = False

    @property
    def fields(self) -> Iterator[FieldDraft]:
        """All fields of all classes."""
        return (member for one in self.classes.values() for member in one.fields)

    @property
    def granted_classes(self) -> tuple[ClassDraft, ...]:
        """All classes that grants can name, `_User` last."""
        return (*self.classes.values(), *(() if self.users is None else (self.users,)))

    def is_part(self, class_name: str) -> bool:
        """Return whether a composition leads to the class."""
        return class_name in self.whole_roles


def column_offset(node: Node, index: int) -> int:
    """Return the column of a character in a quoted string, relative to the start of the string.

    Returns 0 if escapes or block quotes make that column unknown.
    """
    assert node.loc is not None
    plain = isinstance(node, StringValueNode) and node.loc.end - node.loc.start == len(node.value) + 2
    return index + 1 if plain else 0
