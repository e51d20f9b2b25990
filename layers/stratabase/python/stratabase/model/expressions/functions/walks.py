"""How lists are gone through, item by item. A null list makes everything null."""

from typing import Any

from stratabase.model.expressions.environment import Environment
from stratabase.model.expressions.meaning import Run

_Items = tuple[Any, ...]


def quantified(items: Run, number: int, condition: Run, *, decisive: bool) -> Run:
    """Return what is `decisive` where the condition is for any item, else null where it is null for any."""
    otherwise = not decisive

    def decided(environment: Environment) -> bool | None:
        values, variables, known = items(environment), environment.variables, True
        for variables[number] in values or ():
            value: bool | None = condition(environment)
            if value is decisive:
                return value
            if value is None:
                known = False
        return otherwise if known and values is not None else None

    return decided


def exactly_one(items: Run, number: int, condition: Run) -> Run:
    """Return whether the condition holds for one item and no other; null where that is not known."""

    def one(environment: Environment) -> bool | None:
        values, variables, found, known = items(environment), environment.variables, 0, True
        for variables[number] in values or ():
            value = condition(environment)
            found += value is True
            known = known and value is not None
        if values is None or (found < 2 and not known):
            return None
        return found == 1

    return one


def mapped(items: Run, number: int, value: Run) -> Run:
    """Return what is made of each item."""

    def made(environment: Environment) -> _Items | None:
        values, variables = items(environment), environment.variables
        if values is None:
            return None
        result = []
        for variables[number] in values:
            result.append(value(environment))
        return tuple(result)

    return made


def filtered(items: Run, number: int, condition: Run) -> Run:
    """Return the items for which the condition holds."""

    def left(environment: Environment) -> _Items | None:
        values, variables = items(environment), environment.variables
        if values is None:
            return None
        result = []
        for item in values:
            variables[number] = item
            if condition(environment):
                result.append(item)
        return tuple(result)

    return left
