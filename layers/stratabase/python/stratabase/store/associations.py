"""What the roles of a model mean for the store: which associations there are, seen from each class."""

from collections.abc import Iterable, Iterator, Mapping

from stratabase.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.domain.objects.entity import RoleName
from stratabase.model.class_ import Class, Kind
from stratabase.model.model import Model
from stratabase.model.role import Role
from stratabase.store.association import End, Ends, Keyed, Pair, Requirement


class Associations:
    """The associations of a model's stored classes."""

    def __init__(self, model: Model) -> None:
        self._model = model
        stored = [class_ for class_ in model.classes.values() if class_.is_stored]
        self._keyed = {class_.name: tuple(self._keys(class_)) for class_ in stored}
        links = [ends for class_ in stored for ends in self._links(class_)]
        self.ends = {seen.near.role: seen for ends in links for seen in (ends.turned(), ends)}
        """By the name of the near end."""
        self._kept = _by_class(ends for ends in self.ends.values() if ends.near.kept)
        self.needs = _needs(self._keyed)
        """By class, the required keys that lead to its objects, which must not be deleted while one does."""
        self.counts = self._counts()
        self._requirements = {class_.name: tuple(self._required(class_)) for class_ in stored}
        self._concerned = frozenset(
            class_.name
            for class_ in stored
            if self._keyed[class_.name]
            or class_.name in {*self._kept, *self.needs, *self.counts}
            or any(role.composition for role in class_.roles.values())
        )

    def concern(self, change: Change) -> bool:
        """Return whether there is more to a change than the objects that it writes."""
        return any(
            not isinstance(effect, ObjectEffect) or reference_of(effect).class_name in self._concerned
            for effect in change.effects
        )

    def keyed(self, class_name: str) -> tuple[Keyed, ...]:
        """Return the roles whose keys the objects of a class hold."""
        return self._keyed.get(class_name, ())

    def kept(self, class_name: str) -> tuple[Ends, ...]:
        """Return the ends at which objects of a class have links, as seen from there."""
        return self._kept.get(class_name, ())

    def counted(self, class_name: str) -> tuple[RoleName, ...]:
        """Return the roles that are counted at the objects of a class."""
        return self.counts.get(class_name, ())

    def requirements(self, class_name: str) -> tuple[Requirement, ...]:
        """Return the required roles of a class for which the store keeps something; not those to parts."""
        return self._requirements.get(class_name, ())

    def keyed_by(self, role: RoleName) -> Keyed:
        """Return the key that a role names."""
        return next(each for each in self.keyed(role.class_name) if each.role == role)

    def keyed_from(self, role: RoleName) -> Keyed | None:
        """Return the key that stands for a role from its other side, None when there is none."""
        own = self.role(role)
        return next((each for each in self.keyed(own.target) if each.back == role), None)

    def pair(self, role: RoleName, owner: str, other: str) -> Pair:
        """Return two objects, as seen from where a role leads away."""
        return Pair(self.ends[role], owner, other)

    def role(self, name: RoleName) -> Role:
        """Return a role of the model."""
        return self._model.classes[name.class_name].roles[name.role_name]

    def _keys(self, class_: Class) -> Iterator[Keyed]:
        return (self._key(class_, role) for role in class_.roles.values() if role.holds)

    def _key(self, class_: Class, role: Role) -> Keyed:
        name = RoleName(class_.name, role.name)
        back = None if role.opposite is None else RoleName(role.target, role.opposite)
        opposite = None if back is None else self.role(back)
        exclusive = opposite is not None and not opposite.many
        listed = opposite is not None and opposite.many and opposite.required
        return Keyed(
            name,
            role.target,
            back,
            link=_link(name, role, opposite),
            exclusive=exclusive,
            needed=exclusive and opposite is not None and opposite.required,
            counted=(*((name,) if role.required else ()), *((back,) if back is not None and listed else ())),
            former=back if class_.versioned else None,
        )

    def _required(self, class_: Class) -> Iterator[Requirement]:
        for role in class_.roles.values():
            if not role.required or role.composition or role.whole:
                continue
            name = RoleName(class_.name, role.name)
            if name in self.ends:
                near, far = self.ends[name]
                kept = f"links {near.role.role_name} {far.role.role_name}"
                yield Requirement(name, role.target, None, role.opposite, kept)
                continue
            key = name if role.holds else RoleName(role.target, str(role.opposite))
            keyed = self.keyed_by(key)
            kept = "guards" if keyed.link is None else f"links {keyed.link.role_name}"
            yield Requirement(name, role.target, key, role.opposite, kept)

    def _links(self, class_: Class) -> Iterator[Ends]:
        """Yield the associations of a class that no key stands for, as seen from its roles."""
        for role in class_.roles.values():
            if role.many and not role.composition:
                back = None if role.opposite is None else RoleName(role.target, role.opposite)
                if back is None or self.role(back).many:
                    yield self._ends(class_, role, back)

    def _ends(self, class_: Class, role: Role, back: RoleName | None) -> Ends:
        name = RoleName(class_.name, role.name)
        near = End(name, role.required, kept=True, always=class_.kind is Kind.SINGLETON)
        if back is not None:
            return Ends(near, End(back, self.role(back).required, kept=True, always=False))
        # What is required must be found from either side: who leads to an object that is deleted?
        return Ends(
            near, End(RoleName(role.target, str(name)), required=False, kept=role.required, always=False)
        )

    def _counts(self) -> Mapping[str, tuple[RoleName, ...]]:
        found: dict[str, dict[RoleName, None]] = {}
        for each in (each for keyed in self._keyed.values() for each in keyed):
            found.setdefault(each.target, {}).update(dict.fromkeys(each.counted))
        for ends in self.ends.values():
            if ends.near.required:
                found.setdefault(ends.near.role.class_name, {})[ends.near.role] = None
        return {class_name: tuple(names) for class_name, names in found.items()}


def _link(name: RoleName, role: Role, opposite: Role | None) -> RoleName | None:
    if opposite is None:
        return RoleName(role.target, str(name)) if role.required else None
    return RoleName(role.target, opposite.name) if opposite.many else None


def _by_class(all_ends: Iterable[Ends]) -> Mapping[str, tuple[Ends, ...]]:
    """Return associations by the class at their near end."""
    found: dict[str, list[Ends]] = {}
    for ends in all_ends:
        found.setdefault(ends.near.role.class_name, []).append(ends)
    return {class_name: tuple(each) for class_name, each in found.items()}


def _needs(keyed: Mapping[str, Iterable[Keyed]]) -> Mapping[str, frozenset[RoleName]]:
    found: dict[str, set[RoleName]] = {}
    for each in (each for all_ in keyed.values() for each in all_):
        if each.role in each.counted:
            found.setdefault(each.target, set()).add(each.role)
    return {class_name: frozenset(roles) for class_name, roles in found.items()}
