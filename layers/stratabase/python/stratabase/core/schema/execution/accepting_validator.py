"""Accept most valid documents in one pass, without the rules of graphql-core.

The rules of graphql-core take ten times as long as this pass. The pass makes no errors. In doubt it does not
accept a document, and then the limits and the rules decide, and report what is wrong. So the pass may doubt a
valid document, but must never accept an invalid one.

What it relies on: generated types have no interfaces or unions, so a fragment applies to its own type only;
the only directives of documents are `@skip` and `@include`; and the parser reads no arguments of fragments.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from graphql import (
    BooleanValueNode,
    DirectiveNode,
    DocumentNode,
    EnumValueNode,
    FieldNode,
    FloatValueNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    StringValueNode,
    Undefined,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    is_input_type,
    is_required_argument,
    is_required_input_field,
    print_ast,
    type_from_ast,
)

from stratabase.core.schema.execution.limits import MAX_VARIABLE_VALUES, Limits
from stratabase.core.schema.execution.literals import LITERAL_VARIABLE
from stratabase.core.schema.execution.repetition import MAX_EQUAL_FIELDS, MAX_FIELDS

MAX_NESTING = 100
"""Of selection sets, with fragments expanded. graphql-core, whose limit is higher, decides about others."""
_WITHIN, _DONE = 0, 1
_CONDITIONS = frozenset({"include", "skip"})
_CONDITION_TYPE = GraphQLNonNull(GraphQLBoolean)
_SCALAR_LITERALS = (StringValueNode, IntValueNode, FloatValueNode, BooleanValueNode)


class _Doubt(Exception):
    """Only graphql-core can decide about the document."""


class AcceptingValidator:
    """Accepts documents that are certainly valid, and certainly within the limits."""

    def __init__(self, schema: GraphQLSchema, limits: Limits) -> None:
        """Make a validator for a generated schema."""
        self._schema = schema
        self._limits = limits
        self._required: dict[str, frozenset[str]] = {}
        """By input type: the names of its required fields."""

    def accepts(self, document: DocumentNode) -> bool:
        """Return whether a document is certainly valid. False is no verdict."""
        return self.accept_template(document, {}) is not None

    def accept_template(
        self, document: DocumentNode, literals: Mapping[str, ValueNode]
    ) -> Mapping[str, GraphQLInputType] | None:
        """Return the types of the places of literals if a template with these is certainly valid, else None.

        `literals` are by the variables that stand for them in the document. With other literals that have
        the types of their places, it is valid too.
        """
        check = _Check(self._schema, self._limits, document, literals, self._required)
        try:
            check.run()
        except (_Doubt, RecursionError):
            return None
        return check.places


class _Variable(NamedTuple):
    """A variable of an operation."""

    type: GraphQLInputType
    has_default: bool
    """Whether it has a default value that is not null."""


class _Check:
    """One pass over a document. Each method raises _Doubt unless its part is certainly valid."""

    def __init__(
        self,
        schema: GraphQLSchema,
        limits: Limits,
        document: DocumentNode,
        literals: Mapping[str, ValueNode],
        required: dict[str, frozenset[str]],
    ) -> None:
        self.places: dict[str, GraphQLInputType] = {}
        """By variable that stands for a literal: the type of its place."""
        self._required = required
        self._literals = literals
        self._schema = schema
        self._limits = limits
        self._document = document
        self._fragments: dict[str, FragmentDefinitionNode] = {}
        self._spread: set[str] = set()
        """The names of the fragments that operations spread."""
        self._variables: dict[str, _Variable] = {}
        """By name: the variables of the operation that is checked."""
        self._used: set[str] = set()
        """The names of the variables that it uses."""
        # The totals of the document, with a fragment counted in each place where it is spread. So they are at
        # least what the limits count.
        self._fields = self._aliases = self._repeated = self._spreads = self._values = 0

    def run(self) -> None:
        """Check the document."""
        operations: list[OperationDefinitionNode] = []
        for definition in self._document.definitions:
            if isinstance(definition, OperationDefinitionNode):
                operations.append(definition)
            elif isinstance(definition, FragmentDefinitionNode):
                if definition.name.value in self._fragments or definition.variable_definitions:
                    raise _Doubt
                self._fragments[definition.name.value] = definition
            else:
                raise _Doubt
            if definition.directives:
                raise _Doubt
        names = {each.name.value if each.name else None for each in operations}
        if len(names) < len(operations) or (None in names and len(operations) > 1):
            raise _Doubt
        for operation in operations:
            self._check_operation(operation)
        if self._spread != self._fragments.keys() or self.places.keys() != self._literals.keys():
            raise _Doubt
        self._check_limits()

    def _check_limits(self) -> None:
        # The limit on equal fields is for one place. This total is for all of them.
        too_much = (
            self._aliases > self._limits.aliases
            or self._repeated >= MAX_EQUAL_FIELDS
            or self._values > MAX_VARIABLE_VALUES
        )
        if too_much:
            raise _Doubt

    def _check_operation(self, operation: OperationDefinitionNode) -> None:
        root = self._schema.get_root_type(operation.operation)
        if root is None or operation.operation is OperationType.SUBSCRIPTION:
            raise _Doubt
        self._variables, self._used = {}, set()
        for definition in operation.variable_definitions or ():
            self._define(definition)
        self._check_place(root, [operation.selection_set], 1, 1)
        if self._used != self._variables.keys():
            raise _Doubt

    def _define(self, definition: VariableDefinitionNode) -> None:
        name, default = definition.variable.name.value, definition.default_value
        type_ = type_from_ast(self._schema, definition.type)
        if name in self._variables or definition.directives or not is_input_type(type_):
            raise _Doubt
        if name.startswith(LITERAL_VARIABLE):
            raise _Doubt
        self._values += 1
        if default is not None:
            self._check_value(default, type_)
        self._variables[name] = _Variable(
            type_, default is not None and not isinstance(default, NullValueNode)
        )

    def _check_place(
        self, type_: GraphQLObjectType, sets: Sequence[SelectionSetNode], depth: int, nesting: int
    ) -> None:
        """Check the selection sets of fields with one response key, as if they were one.

        `depth` counts fields, `nesting` also fragments.
        """
        fields: dict[str, list[FieldNode]] = {}
        spread: dict[str, int] = {}
        for set_ in sets:
            self._collect(type_, set_, fields, spread, nesting)
        if depth > self._limits.depth:
            raise _Doubt
        for nodes in fields.values():
            self._check_field(type_, nodes, depth, nesting)

    def _collect(
        self,
        type_: GraphQLObjectType,
        set_: SelectionSetNode,
        fields: dict[str, list[FieldNode]],
        spread: dict[str, int],
        nesting: int,
    ) -> None:
        """Add the fields of a selection set to `fields`, with fragments expanded.

        `spread` has the fragments of the place: _WITHIN those that the set is within, and _DONE the others.
        """
        if nesting > MAX_NESTING or not set_.selections:
            raise _Doubt
        for node in set_.selections:
            if node.directives:
                self._check_directives(node.directives)
            if isinstance(node, FieldNode):
                self._fields += 1
                self._aliases += node.alias is not None
                fields.setdefault((node.alias or node.name).value, []).append(node)
            elif isinstance(node, FragmentSpreadNode):
                self._collect_spread(type_, node.name.value, fields, spread, nesting)
            else:
                assert isinstance(node, InlineFragmentNode)
                if node.type_condition and node.type_condition.name.value != type_.name:
                    raise _Doubt
                self._collect(type_, node.selection_set, fields, spread, nesting + 1)
        if self._fields > MAX_FIELDS:
            raise _Doubt

    def _collect_spread(
        self,
        type_: GraphQLObjectType,
        name: str,
        fields: dict[str, list[FieldNode]],
        spread: dict[str, int],
        nesting: int,
    ) -> None:
        fragment = self._fragments.get(name)
        # A fragment within itself is wrong, even if it adds nothing.
        if (
            fragment is None
            or fragment.type_condition.name.value != type_.name
            or spread.get(name) is _WITHIN
        ):
            raise _Doubt
        self._spreads += 1
        if self._spreads >= MAX_EQUAL_FIELDS:
            raise _Doubt
        self._spread.add(name)
        if name not in spread:
            spread[name] = _WITHIN
            self._collect(type_, fragment.selection_set, fields, spread, nesting + 1)
            spread[name] = _DONE

    def _check_field(
        self, type_: GraphQLObjectType, nodes: Sequence[FieldNode], depth: int, nesting: int
    ) -> None:
        """Check all fields with one response key in one place."""
        first = nodes[0]
        self._repeated += len(nodes) - 1
        name = first.name.value
        if name == "__typename":
            if any(each.name.value != name or each.arguments or each.selection_set for each in nodes):
                raise _Doubt
            return
        # Fields about the schema have limits of their own.
        field = None if name.startswith("__") else type_.fields.get(name)
        if field is None or (len(nodes) > 1 and not _are_same(nodes)):
            raise _Doubt
        if field.args or first.arguments:
            self._check_arguments(field, first)
        below = get_named_type(field.type)
        sets = [each.selection_set for each in nodes if each.selection_set]
        if not isinstance(below, GraphQLObjectType):
            if sets or not isinstance(below, GraphQLScalarType | GraphQLEnumType):
                raise _Doubt
        elif len(sets) < len(nodes):
            raise _Doubt
        else:
            self._check_place(below, sets, depth + 1, nesting + 1)

    def _check_directives(self, directives: Sequence[DirectiveNode]) -> None:
        if len(directives) > self._limits.directives:
            raise _Doubt
        names = {directive.name.value for directive in directives}
        if len(names) < len(directives) or not names <= _CONDITIONS:
            raise _Doubt
        for directive in directives:
            arguments = directive.arguments or ()
            if len(arguments) != 1 or arguments[0].name.value != "if":
                raise _Doubt
            self._check_value(arguments[0].value, _CONDITION_TYPE)

    def _check_arguments(self, field: GraphQLField, node: FieldNode) -> None:
        names = set()
        for argument in node.arguments or ():
            name = argument.name.value
            definition = field.args.get(name)
            if definition is None or name in names:
                raise _Doubt
            names.add(name)
            self._check_value(argument.value, definition.type)
        for name, definition in field.args.items():
            if name not in names and is_required_argument(definition):
                raise _Doubt

    def _check_value(self, node: ValueNode, type_: GraphQLInputType) -> None:
        self._values += 1
        if isinstance(node, VariableNode):
            self._use(node, type_)
            return
        if isinstance(type_, GraphQLNonNull):
            if isinstance(node, NullValueNode):
                raise _Doubt
            type_ = type_.of_type
        if isinstance(node, NullValueNode):
            return
        if isinstance(type_, GraphQLList):
            # A value that is no list stands for a list of one.
            for item in node.values if isinstance(node, ListValueNode) else (node,):
                self._check_value(item, type_.of_type)
        elif isinstance(type_, GraphQLInputObjectType):
            self._check_input_object(node, type_)
        elif isinstance(type_, GraphQLEnumType):
            if not isinstance(node, EnumValueNode) or node.value not in type_.values:
                raise _Doubt
        else:
            _check_scalar(node, type_)

    def _use(self, node: VariableNode, type_: GraphQLInputType) -> None:
        """Use a variable in a position of a type."""
        literal = self._literals.get(node.name.value)
        if literal is not None:
            self.places[node.name.value] = type_
            self._check_value(literal, type_)
            return
        variable = self._variables.get(node.name.value)
        if variable is None:
            raise _Doubt
        if variable.has_default and isinstance(type_, GraphQLNonNull):
            type_ = type_.of_type
        if not _is_subtype(variable.type, type_):
            raise _Doubt
        self._used.add(node.name.value)

    def _check_input_object(self, node: ValueNode, type_: GraphQLInputObjectType) -> None:
        if not isinstance(node, ObjectValueNode):
            raise _Doubt
        fields, names = type_.fields, set()
        for each in node.fields:
            name = each.name.value
            field = fields.get(name)
            if field is None or name in names:
                raise _Doubt
            names.add(name)
            self._check_value(each.value, field.type)
        if type_.is_one_of:
            if len(names) != 1 or not self._is_present(node.fields[0].value):
                raise _Doubt
        elif not self._required_fields(type_) <= names:
            raise _Doubt

    def _required_fields(self, type_: GraphQLInputObjectType) -> frozenset[str]:
        # Filters have hundreds of fields, and none of them is required.
        if type_.name not in self._required:
            required = (name for name, field in type_.fields.items() if is_required_input_field(field))
            self._required[type_.name] = frozenset(required)
        return self._required[type_.name]

    def _is_present(self, node: ValueNode) -> bool:
        """Return whether a value can't be null, nor missing."""
        if isinstance(node, VariableNode) and node.name.value not in self._literals:
            return isinstance(self._variables[node.name.value].type, GraphQLNonNull)
        return not isinstance(node, NullValueNode)


def _are_same(nodes: Sequence[FieldNode]) -> bool:
    """Return whether fields have the same name and the same arguments in the same order."""
    fields = {(node.name.value, *map(print_ast, node.arguments or ())) for node in nodes}
    return len(fields) == 1


def _check_scalar(node: ValueNode, type_: Any) -> None:
    coerce = type_.coerce_input_literal
    if coerce is None or not isinstance(node, _SCALAR_LITERALS):
        raise _Doubt
    try:
        coerced = coerce(node)
    except Exception:  # noqa: BLE001 - graphql-core runs into the same error, and reports it
        raise _Doubt from None
    if coerced is Undefined:
        raise _Doubt


def _is_subtype(type_: GraphQLInputType, wanted: GraphQLInputType) -> bool:
    """Return whether all values of a type are values of another."""
    if isinstance(wanted, GraphQLNonNull):
        return isinstance(type_, GraphQLNonNull) and _is_subtype(type_.of_type, wanted.of_type)
    if isinstance(type_, GraphQLNonNull):
        return _is_subtype(type_.of_type, wanted)
    if isinstance(wanted, GraphQLList):
        return isinstance(type_, GraphQLList) and _is_subtype(type_.of_type, wanted.of_type)
    return type_ is wanted
