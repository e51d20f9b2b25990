"""size, and the macros: what is said of each item of a list, for which a name stands."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from stratabase.model.expressions import texts
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.functions import walks
from stratabase.model.expressions.functions.function import Function, Signature, applied, refusal
from stratabase.model.expressions.kinds import BOOLEAN, INT, TEXT, UNKNOWN, ValueKind, list_of
from stratabase.model.expressions.meaning import Meaning, Run, steps, unknown
from stratabase.model.expressions.syntax import Call, Names, Node

_SIZE = "size(x)"
_ANY_LIST = ValueKind("a list")


def _size(checker: Checker, call: Call) -> Meaning:
    arguments = [checker.value(argument) for argument in call.arguments]
    if len(arguments) == 1:
        kind = arguments[0].kind
        if kind.element or kind.values or kind in (TEXT, UNKNOWN):
            return applied(call, Signature((kind,), INT, texts.size), arguments)
    return checker.refuse(call.word.at, refusal(_SIZE, [[TEXT], [_ANY_LIST]], arguments))


@dataclass(frozen=True, slots=True)
class _Walk:
    """A list that is gone through, and what is evaluated for each item: the variable of that number."""

    call: Call
    items: Meaning
    number: int
    bodies: tuple[Meaning, ...]

    def meaning(self, kind: ValueKind, run: Run, body: Meaning | None = None) -> Meaning:
        """Return the meaning of the whole; `body` is what the items of a list are made by."""
        return Meaning(
            kind,
            run,
            self.call.at,
            steps=steps(self.items) + self.items.most * steps(*self.bodies),
            most=self.items.most if kind.element else 0,
            texts=body.texts if body else None,
        )


def _walk(checker: Checker, call: Call, usage: str, *, value: bool) -> _Walk | None:
    """Check a list, its variable, and what is evaluated: conditions, and at last a value if there is one.

    Returns None after reporting what is wrong.
    """
    items, variable, *bodies = call.arguments
    over = checker.value(items)
    if not isinstance(variable, Names) or len(variable.words) > 1:
        checker.refuse(variable.at, f"A name stands here for each item: {usage}.")
        return None
    if over.kind.element is None and over.kind is not UNKNOWN:
        checker.refuse(call.word.at, f"{call.word.text} goes through a list; this is {over.kind.name}.")
        return None
    with checker.variable(variable.words[0].text, over.kind.element or UNKNOWN, over.texts) as number:
        conditions = bodies[:-1] if value else bodies
        meanings = [
            checker.of_kind(body, BOOLEAN, f"The condition of {call.word.text}") for body in conditions
        ]
        meanings += [_made(checker, body) for body in bodies[len(conditions) :]]
    return _Walk(call, over, number, tuple(meanings))


def _made(checker: Checker, node: Node) -> Meaning:
    """Check what an item of a list is made by."""
    meaning = checker.value(node, null=True)
    if meaning.kind.element:
        return checker.refuse(meaning.at, "A list holds values, and no lists.")
    return meaning


_Find = Callable[[Run, int, Run], Run]


def _quantifier(name: str, find: _Find) -> Function:
    """Return a macro that asks for how many items a condition holds."""
    usage = f"list.{name}(x, condition)"

    def form(checker: Checker, call: Call) -> Meaning:
        if not call.receiver or len(call.arguments) != 3:
            return checker.refuse(call.word.at, f"{name} is written {usage}.")
        walk = _walk(checker, call, usage, value=False)
        if walk is None:
            return unknown(call.at)
        return walk.meaning(BOOLEAN, find(walk.items.run, walk.number, walk.bodies[0].run))

    return Function(name, usage, form)


_FILTER = "list.filter(x, condition)"


def _filter(checker: Checker, call: Call) -> Meaning:
    if not call.receiver or len(call.arguments) != 3:
        return checker.refuse(call.word.at, f"filter is written {_FILTER}.")
    walk = _walk(checker, call, _FILTER, value=False)
    if walk is None:
        return unknown(call.at)
    run = walks.filtered(walk.items.run, walk.number, walk.bodies[0].run)
    return walk.meaning(walk.items.kind, run, walk.items)


_MAP = "list.map(x, value)"


def _map(checker: Checker, call: Call) -> Meaning:
    if not call.receiver or len(call.arguments) not in (3, 4):
        return checker.refuse(call.word.at, f"map is written {_MAP}, or list.map(x, condition, value).")
    walk = _walk(checker, call, _MAP, value=True)
    if walk is None:
        return unknown(call.at)
    *conditions, value = walk.bodies
    items = walk.items.run
    for condition in conditions:
        items = walks.filtered(items, walk.number, condition.run)
    kind = UNKNOWN if value.kind is UNKNOWN else list_of(value.kind)
    return walk.meaning(kind, walks.mapped(items, walk.number, value.run), value)


FUNCTIONS_OF_LISTS = (
    Function("size", _SIZE, _size),
    _quantifier("all", partial(walks.quantified, decisive=False)),
    _quantifier("exists", partial(walks.quantified, decisive=True)),
    _quantifier("exists_one", walks.exactly_one),
    Function("map", _MAP, _map),
    Function("filter", _FILTER, _filter),
)
