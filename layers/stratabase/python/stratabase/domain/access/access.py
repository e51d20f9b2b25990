"""What one profile may do."""

from collections.abc import Iterator

from stratabase.domain.access.allowed import NOTHING, Allowed
from stratabase.domain.access.reach import readable, seen_in_part
from stratabase.model.class_ import Action, Grant
from stratabase.model.expressions import expressions_of
from stratabase.model.expressions.dependencies import Member, sources
from stratabase.model.expressions.scope import ID
from stratabase.model.model import Model
from stratabase.model.role import Role


class Access:
    """The grants of a profile. A class that does not name it is closed to it, but for parts."""

    def __init__(self, model: Model, profile: str) -> None:
        self.profile = profile
        self.model = model
        self._members: dict[Member, Allowed] = {}
        self._classes: dict[str, Allowed] = {}
        for class_ in model.classes.values():
            for grant in class_.grants:
                if grant.profile == profile:
                    self._note(class_.name, grant)
        self._readable = readable(self)
        self._seen_in_part = seen_in_part(self)
        self._sources: dict[Member, frozenset[Member]] = {}

    def _note(self, class_name: str, grant: Grant) -> None:
        where = None
        if grant.where is not None:
            where = expressions_of(self.model).condition(class_name, grant.where)
        allowed = Allowed(grant.allow, where)
        if grant.member is None:
            self._classes[class_name] = allowed
        else:
            self._members[class_name, grant.member] = allowed

    def own(self, class_name: str) -> Allowed:
        """Return what is allowed with objects of a class by its own grant."""
        return self._classes.get(class_name, NOTHING)

    def member(self, class_name: str, name: str) -> Allowed | None:
        """Return to what an attribute or a role is narrowed; None where it is not."""
        return self._members.get((class_name, name))

    def follows(self, class_name: str) -> bool:
        """Return whether what is allowed with objects of a class is what is with their wholes."""
        return self.model.classes[class_name].part and class_name not in self._classes

    def reads_class(self, class_name: str) -> bool:
        """Return whether there may be objects of a class that can be seen."""
        return class_name in self._readable

    def sees_all(self, class_name: str) -> bool:
        """Return whether all objects of a class can be seen."""
        return class_name in self._readable and class_name not in self._seen_in_part

    def shows(self, class_name: str, name: str) -> bool:
        """Return whether some objects of a class can be seen, and of all these an attribute or a role."""
        allowed, role = self.member(class_name, name), self.model.classes[class_name].roles.get(name)
        is_open = allowed is None or (Action.READ in allowed.actions and allowed.where is None)
        is_open = is_open and self.reads_class(class_name)
        return is_open and (role is None or self.reads_class(role.target))

    def leads(self, class_name: str, role: Role) -> bool:
        """Return whether a role can be followed from some object of a class that can be seen."""
        allowed = self.member(class_name, role.name)
        return self.reads_class(role.target) and (allowed is None or Action.READ in allowed.actions)

    def obstacle(self, class_name: str, name: str) -> str | None:
        """Return what keeps the profile from reading an attribute of a class, None where nothing does.

        It is the attribute itself, or what it is made of: a class, an attribute or a role.
        """
        return next(self._obstacles(class_name, name), None)

    def narrowed(self, class_name: str, name: str) -> str | None:
        """Return what, of all that an attribute is made of, can be read of some objects only, if anything."""
        for owner, member in sorted(self._made_of(class_name, name)):
            allowed = self.member(owner, member)
            if allowed is not None and allowed.where is not None:
                return f"{owner}.{member}"
        return None

    def _obstacles(self, class_name: str, name: str) -> Iterator[str]:
        # What the attribute itself lacks comes first, so that it is what is told.
        for owner, member in sorted(
            self._made_of(class_name, name), key=lambda each: each != (class_name, name)
        ):
            allowed = self.member(owner, member)
            if not self.reads_class(owner):
                yield owner
            elif allowed is not None and Action.READ not in allowed.actions:
                yield f"{owner}.{member}"
            elif (role := self.model.classes[owner].roles.get(member)) and not self.reads_class(role.target):
                yield role.target

    def _made_of(self, class_name: str, name: str) -> frozenset[Member]:
        if name == ID:
            return frozenset()
        if (class_name, name) not in self._sources:
            self._sources[class_name, name] = sources(self.model, class_name, [(name,)])
        return self._sources[class_name, name]
