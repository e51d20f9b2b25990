"""Numbers of things in messages: one of them, or several."""


def counted(number: int, noun: str) -> str:
    """Return so many things as people write it: 1 object, 2 objects, 1,000 objects."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def is_or_are(number: int) -> str:
    """Return the verb that goes with so many things."""
    return "is" if number == 1 else "are"


def was_or_were(number: int) -> str:
    """Return the verb that goes with so many things, in the past tense."""
    return "was" if number == 1 else "were"


def at_most(number: int) -> str:
    """Return how many are possible: at most 1 is possible, at most 2 are possible."""
    return f"at most {number:,} {is_or_are(number)} possible"
