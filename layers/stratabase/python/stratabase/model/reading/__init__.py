"""Reading a model file: text becomes a Model, or all its mistakes."""

from stratabase.model.reading.mistake import Mistake, ModelMistakes
from stratabase.model.reading.reader import read_model, read_model_file

__all__ = ["Mistake", "ModelMistakes", "read_model", "read_model_file"]
