"""Parsing GraphQL definitions to the draft of a model, with a check of the directives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeGuard, TypeVar

from graphql.language import (
    DirectiveNode,
    EnumTypeDefinitionNode,
    EnumValueDefinitionNode,
    FieldDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    Node,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    ObjectTypeExtensionNode,
    SchemaDefinitionNode,
    SchemaExtensionNode,
    TypeDefinitionNode,
    TypeNode,
)

from stratabase.core.model.api_names import default_whole_role
from stratabase.core.model.model import Enumeration
from stratabase.core.model.reading.draft.directives import Directive, language, read_directive
from stratabase.core.model.reading.draft.document import ModelDocument
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import (
    ClassDraft,
    DirectiveUse,
    FieldDraft,
    ModelDraft,
    WholeRole,
)
from stratabase.core.model.types import FOLDED_TYPES, TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.model.users import USER
from stratabase.values.messages import or_list
from stratabase.values.wording import shorten

_PLACES = {
    "SCHEMA": "the schema",
    "OBJECT": "a type",
    "FIELD_DEFINITION": "a field",
    "ENUM_VALUE": "an enum's value",
}
"""The locations of directives, as messages name them."""
T = TypeVar("T")
N = TypeVar("N", ObjectTypeDefinitionNode, EnumTypeDefinitionNode)


def parse_draft(document: ModelDocument) -> tuple[ModelDraft, list[ModelError]]:
    """Return the draft of the model in a document, and the errors in its directives."""
    parser = _Parser(document)
    return parser.parse(), parser.errors


class _Parser:
    """Parses one document. `errors` collects the errors."""

    def __init__(self, document: ModelDocument) -> None:
        self.errors: list[ModelError] = []
        self._document = document
        self._definitions = tuple(one for one in document.definitions if not language().has(one))
        self._objects = self._definitions_of(ObjectTypeDefinitionNode)
        self._enums = self._definitions_of(EnumTypeDefinitionNode)
        self._renamed_values = {name: self._read_renamed_values(node) for name, node in self._enums.items()}
        enumerations = {
            name: parse_enum(node, self._renamed_values[name]) for name, node in self._enums.items()
        }
        own_types = {
            name: EnumType(name, each.values, each.renamed_from) for name, each in enumerations.items()
        }
        self._types = {**own_types, **TYPES}

    def _definitions_of(self, type_: type[N]) -> dict[str, N]:
        return _first_of_each_name(
            (node.name.value, node) for node in self._definitions if isinstance(node, type_)
        )

    def parse(self) -> ModelDraft:
        """Return the draft of the model."""
        schemas = [
            node for node in self._definitions if isinstance(node, SchemaExtensionNode | SchemaDefinitionNode)
        ]
        draft = ModelDraft(
            uses=self._uses([use for node in schemas for use in node.directives or ()], "SCHEMA"),
            file=self._document.file,
            definitions=self._definitions,
            schema=next(iter(schemas), None),
            types=self._types,
            classes={name: self._class(node) for name, node in self._objects.items()},
            users=next((self._class(node) for node in self._definitions if is_user_extension(node)), None),
            enumerations=self._enums,
            renamed_values=self._renamed_values,
            unparsed=self._document.unparsed,
            schema_unparsed=self._document.schema_unparsed,
        )
        return replace(draft, whole_roles=_find_whole_roles(draft))

    def _class(self, node: ObjectTypeDefinitionNode | ObjectTypeExtensionNode) -> ClassDraft:
        fields = tuple(self._field(node.name.value, field) for field in node.fields or ())
        return ClassDraft(
            uses=self._uses(node.directives or (), "OBJECT"),
            name=node.name.value,
            node=node,
            fields=fields,
            fields_by_name=_first_of_each_name((field.name, field) for field in fields),
        )

    def _field(self, owner: str, node: FieldDefinitionNode) -> FieldDraft:
        named = _named(node.type)
        word = named.name.value
        uses = self._uses(node.directives or (), "FIELD_DEFINITION", node.name.value)
        return FieldDraft(
            uses=uses,
            owner=owner,
            name=node.name.value,
            node=node,
            type_node=named,
            many=isinstance(_nullable(node.type), ListTypeNode),
            required=isinstance(node.type, NonNullTypeNode),
            type=_compared(self._types.get(word), uses),
            target_class=word if self._is_class(word) else None,
        )

    def _is_class(self, word: str) -> bool:
        return word == USER or (word in self._objects and word not in self._types)

    def _read_renamed_values(self, node: EnumTypeDefinitionNode) -> dict[str, DirectiveUse]:
        """Return the valid `@renamed` of each value of an enum. Add the errors of other directives."""
        self._uses(node.directives or (), "an enum")
        return {
            value.name.value: use
            for value in node.values or ()
            for use in self._uses(value.directives or (), "ENUM_VALUE")
        }

    def _uses(
        self, nodes: Iterable[DirectiveNode], location: str, field: str = ""
    ) -> tuple[DirectiveUse, ...]:
        """Return the valid directives at a location. Add the errors of the others.

        `field`: the name of the field, if that is the location.
        """
        uses: list[DirectiveUse] = []
        for node in nodes:
            if directive := self._directive(node, location, uses, field):
                use, errors = read_directive(node, directive)
                self.errors += errors
                uses.append(use)
        return tuple(use for use in uses if not _lacks_required_argument(use))

    def _directive(
        self, node: DirectiveNode, location: str, before: Sequence[DirectiveUse], field: str
    ) -> Directive | None:
        name, known = node.name.value, language().directives
        if not (directive := known.get(name)):
            text = f"Unknown directive @{shorten(name)}."
            self.errors.append(error_at(node, text, word=name, among=known))
        elif location not in directive.locations:
            self.errors.append(error_at(node, _misplaced_message(directive, location, field)))
        elif not directive.repeatable and any(use.name == name for use in before):
            self.errors.append(error_at(node, f"@{name} can be used only once here. Remove one."))
        else:
            return directive
        return None


def _compared(type_: AttributeType | None, uses: Iterable[DirectiveUse]) -> AttributeType | None:
    """Return the type of a field whose `@text` says how texts are compared. Other types stay as they are."""
    comparison = next((use["compare"] for use in uses if use.name == "text"), None)
    return type_ if type_ is None else FOLDED_TYPES.get(f"{type_.name} {comparison}", type_)


def is_user_extension(node: Node) -> TypeGuard[ObjectTypeExtensionNode]:
    """Return whether a definition is `extend type _User`."""
    return isinstance(node, ObjectTypeExtensionNode) and node.name.value == USER


def _misplaced_message(directive: Directive, location: str, field: str) -> str:
    places = or_list(_PLACES[place] for place in directive.locations)
    text = f"@{directive.name} can be used only on {places}, not on {_PLACES.get(location, location)}."
    if field and "attributes" in directive.parameters:
        text += f' Write @{directive.name}(attributes: ["{shorten(field)}"]) after the name of the type.'
    return text


def _lacks_required_argument(use: DirectiveUse) -> bool:
    """Return whether a required argument is missing or has an error, so that the directive has no meaning."""
    parameters = language().directives[use.name].parameters.values()
    return any(one.required and use[one.name] is None for one in parameters)


def _find_whole_roles(draft: ModelDraft) -> dict[str, tuple[WholeRole, ...]]:
    whole_roles: dict[str, tuple[WholeRole, ...]] = {}
    for one in draft.classes.values():
        for role in one.roles.values():
            if (use := role.directive("composition")) and role.target_class:
                name = use["whole"] if use["whole"] is not None else default_whole_role(one.name)
                whole_roles[role.target_class] = (
                    *whole_roles.get(role.target_class, ()),
                    WholeRole(name, role),
                )
    return whole_roles


def parse_enum(
    node: EnumTypeDefinitionNode, renamed_values: Mapping[str, DirectiveUse] = MappingProxyType({})
) -> Enumeration:
    """Return the enum that a definition describes. `renamed_values`: the `@renamed` of its values."""
    values = {value.name.value: description_of(value) for value in node.values or ()}
    renamed_from = {name: use["from"] for name, use in renamed_values.items()}
    return Enumeration(node.name.value, values, description_of(node), MappingProxyType(renamed_from))


def description_of(
    node: TypeDefinitionNode | ObjectTypeExtensionNode | FieldDefinitionNode | EnumValueDefinitionNode,
) -> str | None:
    """Return the description of a definition, or None if it has none or an empty one."""
    if isinstance(node, ObjectTypeExtensionNode) or not node.description:
        return None
    return node.description.value or None


def _first_of_each_name(named: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return a mapping from each name to the first value that has it."""
    firsts: dict[str, T] = {}
    for name, one in named:
        firsts.setdefault(name, one)
    return firsts


def _nullable(node: TypeNode) -> TypeNode:
    return node.type if isinstance(node, NonNullTypeNode) else node


def _named(node: TypeNode) -> NamedTypeNode:
    while not isinstance(node, NamedTypeNode):
        assert isinstance(node, ListTypeNode | NonNullTypeNode)
        node = node.type
    return node
