"""Reading a model file: text becomes a Model, or all its errors.

`reader` does it in phases: `draft` parses the text to a draft with all places, `rules` checks the draft,
`builder` builds the model. `lint` warns of what is allowed but questionable. Read `reader`, `draft`, `rules`,
`builder`. Imports point to `rules`, `draft` and the model; only the start of the service and tools import
this package, and a start from a prepared model does not.
"""

from stratabase.model.reading.draft.errors import InvalidModel, ModelError
from stratabase.model.reading.reader import lint_model_file, read_model, read_model_file

__all__ = ["InvalidModel", "ModelError", "lint_model_file", "read_model", "read_model_file"]
