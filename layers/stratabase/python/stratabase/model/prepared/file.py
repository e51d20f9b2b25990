"""The file that holds a prepared model, and how it is known to be of a text and of this product."""

from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from stratabase import __version__
from stratabase.model.expressions.parsing import parsed, remember
from stratabase.model.model import Model
from stratabase.model.prepared.coding import coded
from stratabase.model.prepared.pieces import shape
from stratabase.model.prepared.restoring import Restoring, restored


def prepared_file(model: Path) -> Path:
    """Return where the prepared model lies: beside the text."""
    return model.with_suffix(".prepared.json")


def prepare(model: Model, text: bytes) -> bytes:
    """Return what the file holds of a model that `text` describes."""
    trees = {each: coded(parsed(each)) for each in _expressions(model)}
    return orjson.dumps({**_marks(text), "expressions": trees, "model": coded(model)})


def read_prepared(prepared: bytes, text: bytes) -> Model | None:
    """Return the model, None when it was prepared from another text, or by another state of the product."""
    try:
        content = orjson.loads(prepared)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(content, dict) or not _marks(text).items() <= content.items():
        return None
    node = Restoring().value
    remember({each: partial(node, tree) for each, tree in content["expressions"].items()})
    return restored(content["model"])


def _marks(text: bytes) -> dict[str, Any]:
    # What was prepared when patterns were still Python's may have one that RE2 does not understand.
    return {"product": __version__, "shape": shape(), "patterns": "RE2", "text": sha256(text).hexdigest()}


def _expressions(model: Model) -> Iterator[str]:
    for class_ in model.classes.values():
        yield from (rule.condition for rule in class_.warnings)
        yield from (grant.where for grant in class_.grants if grant.where is not None)
        for attribute in class_.attributes.values():
            if attribute.derivation and attribute.derivation.expression is not None:
                yield attribute.derivation.expression
