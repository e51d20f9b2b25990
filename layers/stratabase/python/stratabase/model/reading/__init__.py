"""Reading a model file: text becomes a Model, or all its mistakes."""

from stratabase.model.reading.mistake import Mistake, ModelMistakes
from stratabase.model.reading.reader import lint_model_file, read_model, read_model_file

__all__ = ["Mistake", "ModelMistakes", "lint_model_file", "read_model", "read_model_file"]
