"""The arguments of one directive, checked against its definition and turned into values."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from graphql.language import (
    ArgumentNode,
    BooleanValueNode,
    DirectiveNode,
    EnumValueNode,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    StringValueNode,
    ValueNode,
    print_ast,
)

from stratabase.model.reading.language import Directive, Parameter, language
from stratabase.model.reading.manuscript import Item, Use
from stratabase.model.reading.mistake import Mistake, listed, mistake, shown

LARGEST = 2**31 - 1
"""GraphQL's Int has 32 bits."""


class Unfit(ValueError):
    """A value that its parameter does not take; `node` is where, the message says why."""

    def __init__(self, node: ValueNode, message: str, word: str = "", among: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.mistake = mistake(node, message, word=word, among=among)


def read_use(node: DirectiveNode, directive: Directive) -> tuple[Use, list[Mistake]]:
    """Return what a directive says, and the mistakes in how it says it."""
    given: dict[str, ArgumentNode] = {}
    mistakes = [*_unexpected(node, directive, given), *_missing(node, directive, given)]
    values: dict[str, Any] = {one.name: one.default for one in directive.parameters.values()}
    items: dict[str, tuple[Item, ...]] = {}
    for name, argument in given.items():
        read, wrong = _items(argument.value, directive.parameters[name])
        mistakes += wrong
        if directive.parameters[name].many and not isinstance(argument.value, NullValueNode):
            items[name], values[name] = read, tuple(value for value, _ in read)
        elif read:
            values[name] = read[0][0]
    return Use(directive.name, node, values, _in_earnest(given), items, sound=not mistakes), mistakes


def _unexpected(
    node: DirectiveNode, directive: Directive, given: dict[str, ArgumentNode]
) -> Iterator[Mistake]:
    """Fill `given` with the arguments that are right; yield the others' mistakes."""
    for argument in node.arguments or ():
        name, known = argument.name.value, directive.parameters
        if name not in known:
            text = f'@{directive.name} has no argument "{shown(name)}"; it has {listed(known)}.'
            yield mistake(argument, text, word=name, among=known)
        elif name in given:
            yield mistake(argument, f'@{directive.name} has the argument "{name}" already.')
        else:
            given[name] = argument


def _missing(
    node: DirectiveNode, directive: Directive, given: Mapping[str, ArgumentNode]
) -> Iterator[Mistake]:
    for parameter in directive.parameters.values():
        if parameter.required and parameter.name not in given:
            text = f"@{directive.name} needs the argument {parameter.name}: {parameter.spelling}."
            yield mistake(node, text)


def _in_earnest(given: Mapping[str, ArgumentNode]) -> dict[str, ArgumentNode]:
    """Return the arguments that say something: null is as good as nothing."""
    return {name: node for name, node in given.items() if not isinstance(node.value, NullValueNode)}


def _items(node: ValueNode, parameter: Parameter) -> tuple[tuple[Item, ...], list[Mistake]]:
    """Return the values that are right, be it one or a list, and the mistakes in the others."""
    if isinstance(node, NullValueNode) and not parameter.required:
        return (), []
    # As everywhere in GraphQL, one value may stand where a list is expected.
    nodes = node.values if parameter.many and isinstance(node, ListValueNode) else (node,)
    items: list[Item] = []
    mistakes: list[Mistake] = []
    for one in nodes:
        try:
            items.append((_single(one, parameter), one))
        except Unfit as unfit:
            mistakes.append(unfit.mistake)
    return tuple(items), mistakes


def _single(node: ValueNode, parameter: Parameter) -> Any:
    if isinstance(node, NullValueNode):
        raise Unfit(node, f"{parameter.name} takes {parameter.spelling}, and that is not null.")
    if parameter.type in _READERS:
        return _READERS[parameter.type](node, parameter)
    return _word(node, parameter)


def _string(node: ValueNode, parameter: Parameter) -> str:
    if not isinstance(node, StringValueNode):
        given = shown(print_ast(node))
        raise Unfit(node, f'{parameter.name} takes a String in quotes, not {given}: write "{given}".')
    return node.value


def _int(node: ValueNode, parameter: Parameter) -> int:
    if not isinstance(node, IntValueNode):
        raise Unfit(node, f"{parameter.name} takes an Int without quotes, not {shown(print_ast(node))}.")
    if len(node.value) > len(str(LARGEST)) + 1 or abs(int(node.value)) > LARGEST:
        raise Unfit(node, f"{parameter.name} takes an Int of at most {LARGEST}, not {shown(node.value)}.")
    return int(node.value)


def _boolean(node: ValueNode, parameter: Parameter) -> bool:
    if not isinstance(node, BooleanValueNode):
        raise Unfit(node, f"{parameter.name} takes true or false, not {shown(print_ast(node))}.")
    return node.value


def _word(node: ValueNode, parameter: Parameter) -> str:
    """Read a value of one of the language's enums."""
    known = language().enumerations[parameter.type]
    if isinstance(node, EnumValueNode) and node.value in known:
        return node.value
    given = shown(print_ast(node))
    text = f"{parameter.name} is {listed(known, 'or')}, not {given}."
    raise Unfit(node, text, word=given.strip('"'), among=known)


_READERS: Mapping[str, Callable[[ValueNode, Parameter], Any]] = {
    "String": _string,
    "Int": _int,
    "Boolean": _boolean,
}
