"""Reading a model file: the text becomes a `Model`, or the list of all its errors.

`reader` runs the phases: `draft` parses the text to a draft, in which each word has its location. `rules`
checks the draft. Then `reader` makes the model of it. `lint`, with `lint_rules`, warns about what is valid
but questionable. Read the files in this order.

Imports point from here to `rules`, then to `draft`, then to the model. Only tools and the start of the
service import this package. A start from a prepared model does not.
"""

from stratabase.core.model.reading.draft.errors import InvalidModel, ModelError
from stratabase.core.model.reading.reader import lint_model_file, read_model, read_model_file

__all__ = ["InvalidModel", "ModelError", "lint_model_file", "read_model", "read_model_file"]
