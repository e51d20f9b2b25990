"""Reads a model file: the document, its manuscript, the rules, and then the model or all mistakes."""

from pathlib import Path

from stratabase.model.model import Model
from stratabase.model.reading.building import built
from stratabase.model.reading.deciphering import deciphered
from stratabase.model.reading.document import document
from stratabase.model.reading.lint import lint
from stratabase.model.reading.mistake import Mistake, ModelMistakes
from stratabase.model.reading.rules import RULES


def read_model(text: str, file: str) -> Model:
    """Return the model that `text` describes; `file` is its name in messages.

    Raises ModelMistakes with everything that is wrong with it.
    """
    parsed = document(text, file)
    manuscript, mistakes = deciphered(parsed)
    found = [*parsed.mistakes, *mistakes, *(one for rule in RULES for one in rule(manuscript))]
    if found:
        raise ModelMistakes(found)
    return built(manuscript)


def lint_model_file(path: Path | str) -> tuple[Mistake, ...]:
    """Return what somebody should look at in a model that can be read, in the order of the file.

    Raises ModelMistakes where it cannot.
    """
    text = _text(Path(path))
    model = read_model(text, str(path))
    manuscript, _ = deciphered(document(text, str(path)))
    return tuple(sorted(set(lint(manuscript, model)), key=lambda one: (one.line, one.column, one.message)))


def read_model_file(path: Path | str) -> Model:
    """Return the model in a file of UTF-8 text. Raises ModelMistakes, also for a file that cannot be read."""
    return read_model(_text(Path(path)), str(path))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise ModelMistakes([Mistake(str(path), line, column, "A model is UTF-8; this is not.")]) from error
    except OSError as error:
        message = f"The model cannot be read: {error.strerror or error}."
        raise ModelMistakes([Mistake(str(path), 1, 1, message)]) from error
