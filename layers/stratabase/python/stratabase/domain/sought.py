"""An object as a client names it, whose id may be any text."""

from stratabase.domain.entity import Reference

_LONGEST = 255
"""Characters of an id; ours are far shorter."""


def sought(reference: Reference) -> Reference:
    """Return a reference, or one that no object has either, if a store could not even look for it."""
    id_ = reference.id
    if id_.isascii() and len(id_) <= _LONGEST:
        return reference
    return Reference(reference.class_name, id_.encode("utf-8", "replace").decode()[:_LONGEST])
