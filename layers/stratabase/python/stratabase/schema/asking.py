"""Who asks, as far as it depends on that what the request means."""

from typing import NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.model.expressions import Circumstances
from stratabase.model.formats import DEFAULT_FORMATS, Formats


class Asking(NamedTuple):
    """How values are written, what conditions know beside objects, whether mistakes say "did you mean"."""

    formats: Formats = DEFAULT_FORMATS
    circumstances: Circumstances = Circumstances()
    suggestions: bool = True
    access: Access | None = None
    """What who asks may do; None for everything."""
