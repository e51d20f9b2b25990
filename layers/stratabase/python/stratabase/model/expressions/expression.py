"""An expression that has been read: what it gives, what it reads, and its value for an object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stratabase.model.expressions.calls import call
from stratabase.model.expressions.checker import Check, Checker
from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.functions import FUNCTIONS
from stratabase.model.expressions.kinds import ValueKind
from stratabase.model.expressions.meaning import Run
from stratabase.model.expressions.mistakes import ExpressionMistake, ExpressionMistakes
from stratabase.model.expressions.operators import OPERATORS
from stratabase.model.expressions.parsing import parsed
from stratabase.model.expressions.paths import Path
from stratabase.model.expressions.results import Store, check_result, store_of
from stratabase.model.expressions.scope import Scope
from stratabase.model.expressions.syntax import Call, Node
from stratabase.model.types.base import AttributeType

MOST_STEPS = 10_000
"""Parts that are evaluated for one object; only lists within lists come to as many."""
_CHECKS: Mapping[type[Node], Check] = {**OPERATORS, Call: call}


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression. Several threads may evaluate it at once, each with environments of its own."""

    text: str
    kind: ValueKind
    uses: frozenset[Path]
    """The paths that it reads, which the environment must have."""
    caller: frozenset[str]
    """The fields of `caller` that it reads."""
    run: Run = field(repr=False, compare=False)
    store: Store = field(repr=False, compare=False)

    def evaluate(self, environment: Environment) -> Any:
        """Return the value for an object, as it is stored; None where it cannot be computed. Never raises."""
        return self.store(self.run(environment.rested()))

    def holds(self, environment: Environment) -> bool:
        """Return whether a condition holds for an object: null does not."""
        return self.run(environment.rested()) is True


@dataclass(frozen=True, slots=True)
class Examination:
    """What is found out about a text: `expression` is what it means as far as that is known."""

    expression: Expression
    mistakes: tuple[ExpressionMistake, ...]


def examine(text: str, scope: Scope, wanted: AttributeType | None = None) -> Examination:
    """Return what there is to say of a text that should give what an attribute of type `wanted` holds.

    Raises ExpressionMistakes for a text that is no expression at all.
    """
    checker = Checker(scope, _CHECKS, FUNCTIONS.keys())
    meaning = checker.value(parsed(text))
    if wanted is not None:
        check_result(checker, meaning, wanted)
    if meaning.steps > MOST_STEPS:
        message = (
            f"Lists within lists make this more than {MOST_STEPS} steps: write them one beside the other."
        )
        checker.refuse(meaning.at, message)
    uses, caller = frozenset(checker.uses), frozenset(checker.caller)
    expression = Expression(text, meaning.kind, uses, caller, meaning.run, store_of(meaning, wanted))
    return Examination(expression, tuple(checker.mistakes))


def read(text: str, scope: Scope, wanted: AttributeType | None = None) -> Expression:
    """Return the expression that a text is, which gives what an attribute of type `wanted` holds.

    Raises ExpressionMistakes with everything that is wrong.
    """
    examination = examine(text, scope, wanted)
    if examination.mistakes:
        raise ExpressionMistakes(examination.mistakes)
    return examination.expression
