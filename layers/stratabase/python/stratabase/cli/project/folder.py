"""The folder with the files of a project: in the package if it is installed, or the repository.

In the repository, these files are at the top. The wheel has copies of them, in the same places of a folder in
this package (`sources` and `force-include` in pyproject.toml).
"""

from pathlib import Path

_INSTALLED = Path(__file__).parent / "files"
_REPOSITORY = Path(__file__).parents[6]
PROJECT_FILES = _INSTALLED if _INSTALLED.is_dir() else _REPOSITORY
"""The folder with template.yaml, the functions and layers that it names, events and the model."""
SAMPLE_MODEL = PROJECT_FILES / "layers/model/model.graphql"
"""The model with which a new project begins."""
