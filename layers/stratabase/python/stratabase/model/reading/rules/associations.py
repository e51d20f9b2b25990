"""The two roles of an association name each other, and one of two to-one roles holds the key."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript, Member, Use
from stratabase.model.reading.mistake import Mistake, line_of, mistake, shown


def associations(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the opposite of every association."""
    for member in manuscript.members:
        use = member.use("association")
        if use and member.is_association and use["opposite"] is not None:
            yield from _opposite(manuscript, member, use)


def _opposite(manuscript: Manuscript, member: Member, use: Use) -> Iterator[Mistake]:
    target = manuscript.classes[member.target]
    other = target.members.get(use["opposite"])
    if other is None or not other.is_association or other.leads_to != member.owner:
        fitting = [role.name for role in target.roles.values() if _could_be(member, role)]
        text = _wrong(member, use["opposite"], other)
        yield mistake(use.at("opposite"), text, word=use["opposite"], among=fitting)
    elif other.name == member.name and other.owner == member.owner:
        text = f"{member.full_name} cannot be its own opposite. Leave opposite out, or make a second role."
        yield mistake(use.at("opposite"), text)
    elif (back := opposite_of(other)) != member.name and _names_one(manuscript, other):
        yield mistake(use.at("opposite"), _one_sided(member, other, back))


def _could_be(member: Member, role: Member) -> bool:
    return role.is_association and role.leads_to == member.owner and role.full_name != member.full_name


def _wrong(member: Member, opposite: str, other: Member | None) -> str:
    """Return why the role that is named cannot be the opposite."""
    if other is None:
        return f"{member.leads_to} has no role {shown(opposite)} to be the opposite of {member.full_name}."
    if other.is_composition:
        return f"{other.full_name} is a composition; the opposite of {member.full_name} is an association."
    kind = f"leads to {other.leads_to}" if other.leads_to else "is not a role"
    return f"{other.full_name} {kind}; the opposite of {member.full_name} is a role to {member.owner}."


def _says(other: Member) -> bool:
    """Return whether what the other role says of its opposite can be relied on."""
    use = other.use("association")
    return use is None or use.sound


def _names_one(manuscript: Manuscript, other: Member) -> bool:
    """Return whether the other role names none or one that there is, and no other mistake says so already."""
    back = opposite_of(other)
    return _says(other) and (back is None or back in manuscript.classes[other.target].members)


def _one_sided(member: Member, other: Member, back: str | None) -> str:
    named = f"names {shown(back)}" if back is not None else "names none"
    right = f'@association(opposite: "{member.name}")'
    return f"Opposites name each other, but {other.full_name} {named}. Write {right} there."


def opposite_of(member: Member) -> str | None:
    """Return the opposite that a role names."""
    use = member.use("association")
    opposite: str | None = use["opposite"] if use else None
    return opposite


def holders(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check which side of every association holds the key."""
    for member in manuscript.members:
        if not member.is_association:
            continue
        if other := facing(manuscript, member):
            yield from _both(member, other) if not member.many and not other.many else _one(member)
        elif opposite_of(member) is None:
            yield from _one(member)


def facing(manuscript: Manuscript, member: Member) -> Member | None:
    """Return the opposite of an association, where the two name each other."""
    other = manuscript.classes[member.target].members.get(opposite_of(member) or "")
    fits = other and other.is_association and other.leads_to == member.owner
    return other if other and fits and other is not member and opposite_of(other) == member.name else None


def _one(member: Member) -> Iterator[Mistake]:
    """Check a role whose side follows from the cardinalities."""
    use = member.use("association")
    if use is None or use["holds"] is None or use["holds"] is not member.many:
        return
    if member.many:
        text = f"{member.full_name} leads to many, so it cannot hold the key: the to-one side does."
    else:
        text = f"{member.full_name} is the to-one side, so it holds the key: leave holds out."
    yield mistake(use.at("holds"), text)


def _both(member: Member, other: Member) -> Iterator[Mistake]:
    """Check two to-one roles, once: at the one that stands first, or that holds the key too."""
    if _after(member, other):
        mine, others = _holds(member), _holds(other)
        if mine and others:
            use = member.use("association")
            assert use is not None
            text = f"Only one of {other.full_name} and {member.full_name} holds the key."
            yield mistake(use.at("holds"), text)
        elif not mine and not others and _says(member) and _says(other):
            text = f"One of {other.full_name} and {member.full_name} holds the key: write holds: true there."
            yield mistake(other.node.name, text)


def _after(member: Member, other: Member) -> bool:
    """Return whether one field stands after the other in the file."""
    return _place(member) > _place(other)


def _place(member: Member) -> tuple[int, int]:
    assert member.node.loc is not None
    return line_of(member.node), member.node.loc.start


def _holds(member: Member) -> bool:
    use = member.use("association")
    return bool(use and use["holds"])
