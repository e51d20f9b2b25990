"""Definitions become a manuscript; directives are checked for being known, in place, and well filled in."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from graphql.language import (
    DirectiveNode,
    EnumTypeDefinitionNode,
    EnumValueDefinitionNode,
    FieldDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    SchemaDefinitionNode,
    SchemaExtensionNode,
    TypeDefinitionNode,
    TypeNode,
)

from stratabase.model.model import Enumeration
from stratabase.model.reading.arguments import read_use
from stratabase.model.reading.document import Document
from stratabase.model.reading.language import Directive, language
from stratabase.model.reading.manuscript import Back, Manuscript, Member, Use, Written
from stratabase.model.reading.mistake import Mistake, listed, mistake, shown
from stratabase.model.types import TYPES, enumeration

_PLACES = {"SCHEMA": "the schema", "OBJECT": "a type", "FIELD_DEFINITION": "a field"}
"""Where directives stand, as messages say it."""

T = TypeVar("T")
N = TypeVar("N", ObjectTypeDefinitionNode, EnumTypeDefinitionNode)


def deciphered(document: Document) -> tuple[Manuscript, list[Mistake]]:
    """Return the manuscript of a document, and the mistakes in its directives."""
    deciphering = _Deciphering(document)
    return deciphering.manuscript(), deciphering.mistakes


class _Deciphering:
    """One document being deciphered; gathers the mistakes on the way."""

    def __init__(self, document: Document) -> None:
        self.mistakes: list[Mistake] = []
        self._document = document
        self._definitions = tuple(one for one in document.definitions if not language().has(one))
        self._objects = self._defined(ObjectTypeDefinitionNode)
        self._enums = self._defined(EnumTypeDefinitionNode)
        own_types = {name: enumeration(enumeration_of(node)) for name, node in self._enums.items()}
        self._types = {**own_types, **TYPES}

    def _defined(self, kind: type[N]) -> dict[str, N]:
        return _firsts((node.name.value, node) for node in self._definitions if isinstance(node, kind))

    def manuscript(self) -> Manuscript:
        """Return what the document says."""
        schemas = [
            node for node in self._definitions if isinstance(node, SchemaExtensionNode | SchemaDefinitionNode)
        ]
        manuscript = Manuscript(
            uses=self._uses([use for node in schemas for use in node.directives or ()], "SCHEMA"),
            file=self._document.file,
            definitions=self._definitions,
            schema=next(iter(schemas), None),
            types=self._types,
            classes={name: self._class(node) for name, node in self._objects.items()},
            enumerations=self._enums,
            unread=self._document.unread,
            schema_unread=self._document.schema_unread,
        )
        for node in self._enums.values():
            self._refuse_on_enum(node)
        return replace(manuscript, backs=_backs(manuscript))

    def _class(self, node: ObjectTypeDefinitionNode) -> Written:
        fields = tuple(self._member(node.name.value, field) for field in node.fields or ())
        return Written(
            uses=self._uses(node.directives or (), "OBJECT"),
            name=node.name.value,
            node=node,
            fields=fields,
            members=_firsts((member.name, member) for member in fields),
        )

    def _member(self, owner: str, node: FieldDefinitionNode) -> Member:
        named = _named(node.type)
        word = named.name.value
        return Member(
            uses=self._uses(node.directives or (), "FIELD_DEFINITION"),
            owner=owner,
            name=node.name.value,
            node=node,
            named=named,
            many=isinstance(_nullable(node.type), ListTypeNode),
            required=isinstance(node.type, NonNullTypeNode),
            type=self._types.get(word),
            leads_to=word if word in self._objects and word not in self._types else None,
        )

    def _refuse_on_enum(self, node: EnumTypeDefinitionNode) -> None:
        self._uses(node.directives or (), "an enum")
        for value in node.values or ():
            self._uses(value.directives or (), "an enum's value")

    def _uses(self, nodes: Iterable[DirectiveNode], location: str) -> tuple[Use, ...]:
        """Return the directives that may stand at a location, as often as they do."""
        uses: list[Use] = []
        for node in nodes:
            if directive := self._directive(node, location, uses):
                use, mistakes = read_use(node, directive)
                self.mistakes += mistakes
                uses.append(use)
        return tuple(use for use in uses if not _lacking(use))

    def _directive(self, node: DirectiveNode, location: str, before: Sequence[Use]) -> Directive | None:
        name, known = node.name.value, language().directives
        if not (directive := known.get(name)):
            text = f"Unknown directive @{shown(name)}."
            self.mistakes.append(mistake(node, text, word=name, among=known))
        elif location not in directive.locations:
            self.mistakes.append(mistake(node, _misplaced(directive, location)))
        elif not directive.repeatable and any(use.name == name for use in before):
            self.mistakes.append(mistake(node, f"@{name} stands here already; once is enough."))
        else:
            return directive
        return None


def _misplaced(directive: Directive, location: str) -> str:
    places = listed(_PLACES[place] for place in directive.locations)
    return f"@{directive.name} belongs on {places}, not on {_PLACES.get(location, location)}."


def _lacking(use: Use) -> bool:
    """Return whether an argument that the directive is nothing without is missing or wrong."""
    parameters = language().directives[use.name].parameters.values()
    return any(one.required and use[one.name] is None for one in parameters)


def _backs(manuscript: Manuscript) -> dict[str, tuple[Back, ...]]:
    backs: dict[str, tuple[Back, ...]] = {}
    for one in manuscript.classes.values():
        for role in one.roles.values():
            if (use := role.use("composition")) and role.leads_to:
                name = use["whole"] if use["whole"] is not None else default_whole(one.name)
                backs[role.leads_to] = (*backs.get(role.leads_to, ()), Back(name, role))
    return backs


def default_whole(class_name: str) -> str:
    """Return what a part calls its whole when the composition does not say."""
    return class_name[:1].lower() + class_name[1:] + "_"


def enumeration_of(node: EnumTypeDefinitionNode) -> Enumeration:
    """Return the enum that a definition makes."""
    values = {value.name.value: text(value) for value in node.values or ()}
    return Enumeration(node.name.value, values, text(node))


def text(node: TypeDefinitionNode | FieldDefinitionNode | EnumValueDefinitionNode) -> str | None:
    """Return a node's description."""
    return node.description.value or None if node.description else None


def _firsts(named: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return what has each name; where several have it, the first."""
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
