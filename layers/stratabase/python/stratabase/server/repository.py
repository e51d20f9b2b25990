"""The copy of the repository that this code runs from."""

from pathlib import Path

DOCUMENTATION = Path(__file__).parent / "documentation/built"
"""The pages of the documentation, which only a wheel has."""
REPOSITORY = None if DOCUMENTATION.is_dir() else Path(__file__).parents[5]
"""The root of the repository, None if the package is installed from a wheel."""
