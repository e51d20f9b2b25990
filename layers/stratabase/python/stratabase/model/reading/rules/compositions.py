"""The name that a composition gives to the role back is a name."""

import re
from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake, shown
from stratabase.model.reading.rules.names import reserved_text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def compositions(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the `whole` of every composition (whether it is taken, the rule of names checks)."""
    for member in manuscript.members:
        use = member.use("composition")
        if not use or not member.leads_to or use["whole"] is None:
            continue
        if not _NAME.fullmatch(use["whole"]):
            text = f'"{shown(use["whole"])}" is no name: write letters, digits and _, a letter first.'
            yield mistake(use.at("whole"), text)
        elif text_of := reserved_text(use["whole"]):
            yield mistake(use.at("whole"), text_of)
