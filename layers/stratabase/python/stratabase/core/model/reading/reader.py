"""The phases of reading a model file: parse the document and the draft, check the rules, build the model."""

from pathlib import Path

from stratabase.core.model.model import Model
from stratabase.core.model.reading.builder import build_model
from stratabase.core.model.reading.draft.document import parse_document
from stratabase.core.model.reading.draft.errors import InvalidModel, ModelError
from stratabase.core.model.reading.draft.parser import parse_draft
from stratabase.core.model.reading.lint import lint
from stratabase.core.model.reading.rules import RULES


def read_model(text: str, file: str) -> Model:
    """Return the model that `text` describes. Messages name `file`.

    Raises InvalidModel with all errors.
    """
    # Each phase goes on in spite of errors, so that one reading reports the errors of all phases.
    document = parse_document(text, file)
    draft, errors = parse_draft(document)
    all_errors = [*document.errors, *errors, *(error for rule in RULES for error in rule(draft))]
    if all_errors:
        raise InvalidModel(all_errors)
    return build_model(draft)


def lint_model_file(path: Path | str) -> tuple[ModelError, ...]:
    """Return the warnings about a valid model, in the order of the file.

    Raises InvalidModel if the file can't be read or has errors.
    """
    text = _read_text(Path(path))
    model = read_model(text, str(path))
    draft, _ = parse_draft(parse_document(text, str(path)))
    found = set(lint(draft, model))
    return tuple(sorted(found, key=lambda each: (each.line, each.column, each.message)))


def read_model_file(path: Path | str) -> Model:
    """Return the model in a UTF-8 file. Raises InvalidModel if the file can't be read or has errors."""
    return read_model(_read_text(Path(path)), str(path))


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise InvalidModel(
            [ModelError(str(path), line, column, "The model is not valid UTF-8. Save the file as UTF-8.")]
        ) from error
    except OSError as error:
        message = f"Can't read the model: {error.strerror or error}."
        raise InvalidModel([ModelError(str(path), 1, 1, message)]) from error
