"""The documents tell of everything that a user can set."""

from pathlib import Path

import pytest

from stratabase.settings import variables

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("name", [variable.name for _, variable in variables()])
def test_the_readme_tells_of_every_setting(name: str) -> None:
    assert f"`{name}`" in README.read_text(encoding="utf-8")
