"""Who asks, as far as it depends on that what the request means."""

from typing import NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.expressions.environment import EvaluationContext
from stratabase.formats.preferences import DEFAULT_FORMATS, Formats


class Asking(NamedTuple):
    """How values are written, what conditions know beside objects, whether mistakes say "did you mean"."""

    formats: Formats = DEFAULT_FORMATS
    circumstances: EvaluationContext = EvaluationContext()
    suggestions: bool = True
    access: Access | None = None
    """What who asks may do; None for everything."""
