"""The model: as it was prepared when it was deployed, or read from its text."""

from pathlib import Path

from stratabase.model.model import Model
from stratabase.model.prepared import prepared_file, read_prepared


def model_of(file: Path) -> Model:
    """Return the model in a file. Raises ModelMistakes, also for a file that cannot be read."""
    return _prepared(file) or _read(file)


def _prepared(file: Path) -> Model | None:
    try:
        return read_prepared(prepared_file(file).read_bytes(), file.read_bytes())
    except OSError:
        return None


def _read(file: Path) -> Model:
    from stratabase.model.reading import read_model_file  # noqa: PLC0415 - the rules take a while

    return read_model_file(file)
