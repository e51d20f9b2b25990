"""The patterns of a domain are regular expressions."""

import re
import warnings
from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake, shown

LONGEST = 1000


def patterns(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every pattern of every @domain."""
    for member in manuscript.members:
        use = member.use("domain")
        if use is None or not member.type or "pattern" not in member.type.restrictions:
            continue
        if use["pattern"] == () and use.sound:
            yield mistake(use.at("pattern"), "No value is possible: pattern is empty.")
        for pattern, node in use.each("pattern"):
            if reason := _refusal(pattern):
                text = f'"{shown(pattern)}" is no regular expression: {reason}.'
                yield mistake(node, text)


def _refusal(pattern: str) -> str | None:
    """Return why a pattern cannot be used."""
    if len(pattern) > LONGEST:
        return f"it has more than {LONGEST} characters"
    try:
        with warnings.catch_warnings():
            # A pattern that Python warns of will mean something else one day.
            warnings.simplefilter("error")
            re.compile(pattern)
    except RecursionError:
        return "it is nested too deep"
    except (re.error, OverflowError, Warning) as error:
        return str(error)
    return None
