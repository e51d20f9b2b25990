"""Runs one test on many rows. For a fast check, pytest takes longer to manage a test than to run it."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet

Test = Callable[..., None]


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Return a decorator like `pytest.mark.parametrize`, but for a single test that runs on all rows.

    It fails with the exception of each row that fails. All rows share the fixtures, so they must leave no
    traces there.
    """
    parameters = [each.strip() for each in names.split(",")] if isinstance(names, str) else [*names]
    all_values = [ParameterSet.extract_from(row, force_tuple=len(parameters) == 1).values for row in rows]
    assert all_values, "there are no rows"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: object) -> None:
            errors = list[BaseException]()
            for values in all_values:
                row = dict(zip(parameters, values, strict=True))
                try:
                    test(**fixtures, **row)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - reported with its row
                    error.add_note(f"row: {row!r}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(all_values)} rows", errors)

        signature = inspect.signature(test)
        rest = [each for name, each in signature.parameters.items() if name not in parameters]
        run.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined] # pytest reads it
        return run

    return decorate
