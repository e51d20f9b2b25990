"""The two models of the benchmarks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stratabase.core.model.prepared import prepare, prepared_file
from stratabase.core.model.reading import read_model_file
from tests.large_model import APPLICATION, large_model
from tests.service import SAMPLE_MODEL


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model, and a query that reads a nested page. `text()` returns the text of the model."""

    application: str
    singleton: str
    """A singleton class with the file attribute `logo`, which may be a PNG image."""
    query: str
    text: Callable[[], str]

    def write(self, folder: Path) -> Path:
        """Write the model to a file in a folder, and return the file."""
        file = folder / f"{self.application}.graphql"
        file.write_text(self.text())
        return file

    def write_prepared(self, folder: Path) -> Path:
        """Write the model and its prepared model, like `make build`, and return the model's file."""
        file = self.write(folder)
        prepared_file(file).write_bytes(prepare(read_model_file(file), file.read_bytes()))
        return file


MODELS: Mapping[str, ServedModel] = {
    "small": ServedModel(
        "Hr",
        "Company",
        "{ Employee___getPage { items { _id last_name team { name } addresses { items { city } } } } }",
        SAMPLE_MODEL.read_text,
    ),
    "large": ServedModel(
        APPLICATION,
        "Office7",
        "{ Person7___getPage { items { _id last_name team { name } addresses { items { city } } } } }",
        large_model,
    ),
}
"""The sample (10 classes), and 100 classes with 1,000 attributes and 200 roles."""
