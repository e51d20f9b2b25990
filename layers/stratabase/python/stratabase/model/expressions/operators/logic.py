"""`!`, `&&`, `||` and the choice between values. A null is a truth that is not known."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.kinds import BOOLEAN, NULL, UNKNOWN, ValueKind
from stratabase.model.expressions.meaning import Meaning, Run, all_texts, as_kind, common, steps
from stratabase.model.expressions.syntax import Choice, Junction, Node, Not


def negation(checker: Checker, node: Not) -> Meaning:
    """Check a condition that is turned round."""
    operand = checker.of_kind(node.operand, BOOLEAN, "What ! turns round")
    run = operand.run
    return Meaning(
        BOOLEAN,
        lambda environment: None if (value := run(environment)) is None else not value,
        node.at,
        steps=steps(operand),
        constant=operand.constant,
    )


def junction(checker: Checker, node: Junction) -> Meaning:
    """Check conditions of which all or some must hold."""
    parts = [checker.of_kind(part, BOOLEAN, f"Each side of {node.operator}") for part in node.parts]
    run = _JUNCTIONS[node.operator]([part.run for part in parts])
    constant = all(part.constant for part in parts)
    return Meaning(BOOLEAN, run, node.at, steps=steps(*parts), constant=constant)


def _decided_by(decisive: bool, runs: Sequence[Run]) -> Run:  # noqa: FBT001 - a value
    """Return what is `decisive` where any is, else null where any is null, else the other."""
    otherwise = not decisive

    def decided(environment: Environment) -> bool | None:
        known = True
        for run in runs:
            value: bool | None = run(environment)
            if value is decisive:
                return value
            if value is None:
                known = False
        return otherwise if known else None

    return decided


_JUNCTIONS: Mapping[str, Callable[[Sequence[Run]], Run]] = {
    "&&": partial(_decided_by, False),
    "||": partial(_decided_by, True),
}


def choice(checker: Checker, node: Choice) -> Meaning:
    """Check conditions and their values: the value counts whose condition is the first to hold."""
    conditions = [checker.of_kind(condition, BOOLEAN, "What stands before ?") for condition, _ in node.cases]
    values = alternatives(
        checker, [*(value for _, value in node.cases), node.otherwise], "The values of a choice"
    )
    parts = [*conditions, *values]
    return Meaning(
        values[0].kind,
        _chosen([condition.run for condition in conditions], [value.run for value in values]),
        node.at,
        steps=steps(*parts),
        most=max(value.most for value in values),
        texts=all_texts(values),
        constant=all(part.constant for part in parts),
    )


def alternatives(checker: Checker, nodes: Sequence[Node], where: str) -> list[Meaning]:
    """Check values of which one is taken: they are of one kind, or of kinds that fit one."""
    values = [checker.value(node, null=True) for node in nodes]
    kind = common(values)
    if kind is None:
        others, other = _apart(values)
        text = f"{where} are of one kind; here are {others.name} and {other.kind.name}."
        checker.refuse(other.at, text)
        kind = UNKNOWN
    return [as_kind(value, kind) for value in values]


def _apart(values: Sequence[Meaning]) -> tuple[ValueKind, Meaning]:
    """Return the first value that does not go with those before it, and their kind."""
    before = {values[0].kind: values[0]}
    for value in values:
        if common([*before.values(), value]) is None:
            return common([*before.values()]) or NULL, value
        before[value.kind] = value
    raise AssertionError


def _chosen(conditions: Sequence[Run], values: Sequence[Run]) -> Run:
    if len(conditions) == 1:
        (condition,), (value, otherwise) = conditions, values
        return lambda environment: (value if condition(environment) else otherwise)(environment)
    *firsts, last = values
    cases = tuple(zip(conditions, firsts, strict=True))

    def chosen(environment: Environment) -> Any:
        for condition, value in cases:
            if condition(environment):
                return value(environment)
        return last(environment)

    return chosen
