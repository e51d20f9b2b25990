"""The rooms import in one direction (the contracts are in pyproject.toml)."""

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_the_rooms_import_in_one_direction() -> None:
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS
