"""A reference implementation of commands on a graph of values, lists of parts, and pairs of objects.

Each association is a set of pairs of ids. A command is applied to a copy of the graph. It is invalid if it
contradicts itself about an association, or if the resulting graph breaks a rule of the model.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.write.commands import (
    Command,
    Create,
    PartsCommand,
    RoleCommand,
    ToManyCommand,
    ToOneCommand,
    Update,
)
from stratabase.core.model.model import Model, Role

Pair = tuple[str, str]


class InvalidCommand(Exception):
    """A command that must be refused."""


class Side(NamedTuple):
    """The role under which an association is stored, and whether it is seen from the opposite role."""

    name: RoleName
    turned: bool

    def pair(self, own: str, other: str) -> Pair:
        return (other, own) if self.turned else (own, other)


@dataclass
class ReferenceGraph:
    """Objects, parts and associations, as plain dicts and sets."""

    model: Model
    objects: dict[Reference, dict[str, Any]] = field(default_factory=dict)
    """The attribute values of each object."""
    parts: dict[tuple[Reference, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    pairs: dict[RoleName, set[Pair]] = field(default_factory=lambda: defaultdict(set))
    broken_keys: dict[tuple[Reference, str], str] = field(default_factory=dict)
    """Keys whose target was deleted."""

    def after(self, command: Command, ids: Iterator[str]) -> "ReferenceGraph":
        """Return the graph after a command. Raises InvalidCommand.

        `ids`: the ids of new objects, in the order of the request.
        """
        return _Application(self, ids).of(command)

    def copy(self) -> "ReferenceGraph":
        """Return an independent copy of the graph."""
        return ReferenceGraph(
            self.model,
            {reference: {**values} for reference, values in self.objects.items()},
            defaultdict(list, {key: [*ids] for key, ids in self.parts.items()}),
            defaultdict(set, {name: {*pairs} for name, pairs in self.pairs.items()}),
            {**self.broken_keys},
        )

    def content(self) -> tuple[Any, ...]:
        """Return the content in a form that can be compared, without nulls and empty lists."""
        values = {
            reference: {name: value for name, value in values.items() if value is not None}
            for reference, values in self.objects.items()
        }
        parts = {key: ids for key, ids in self.parts.items() if ids}
        return values, parts, {name: pairs for name, pairs in self.pairs.items() if pairs}, self.broken_keys

    def role(self, name: RoleName) -> Role:
        return self.model.classes[name.class_name].roles[name.role_name]

    def side(self, class_name: str, role: Role) -> Side:
        """Return where an association is stored: under its key, or else under the smaller role name."""
        own = RoleName(class_name, role.name)
        opposite = RoleName(role.target, role.opposite or "")
        if role.opposite is None or role.holds_key or (own < opposite and not self.role(opposite).holds_key):
            return Side(own, turned=False)
        return Side(opposite, turned=True)

    def led_to(self, own: Reference, role: Role) -> list[str]:
        """Return the ids that a role leads to, sorted."""
        side = self.side(own.class_name, role)
        turned = [side.pair(*pair) for pair in self.pairs[side.name]]
        return sorted(other for id_, other in turned if id_ == own.id)

    def _associations(self) -> Iterator[tuple[RoleName, Role]]:
        for class_ in self.model.classes.values():
            for role in class_.roles.values():
                if not role.composition and not role.whole:
                    yield RoleName(class_.name, role.name), role

    def check(self) -> None:
        """Raise InvalidCommand if the graph breaks a rule of the model."""
        self._check_values()
        for name, role in self._associations():
            side = self.side(name.class_name, role)
            led = [side.pair(*pair) for pair in self.pairs[side.name]]
            if not role.many and any(number > 1 for number in Counter(own for own, _ in led).values()):
                raise InvalidCommand(f"{name} leads to several")
            for own, other in led:
                if (
                    not {Reference(name.class_name, own), Reference(role.target, other)}
                    <= self.objects.keys()
                ):
                    raise InvalidCommand(f"{name} leads from or to nothing")
        for reference in self.objects:
            for role in self.model.classes[reference.class_name].roles.values():
                if role.required and not role.whole and not self._all_in(reference, role):
                    raise InvalidCommand(f"{reference} needs {role.name}")

    def _all_in(self, own: Reference, role: Role) -> list[str]:
        return self.parts[own, role.name] if role.composition else self.led_to(own, role)

    def _check_values(self) -> None:
        taken: set[tuple[object, ...]] = set()
        for reference, values in self.objects.items():
            if type(values.get("size")) is not int:
                raise InvalidCommand(f"{reference} has no size")
            for unique in self.model.classes[reference.class_name].uniques:
                own = [self._value(reference, name) for name in unique.attributes]
                known = (reference.class_name, unique, *own)
                if None not in own and known in taken:
                    raise InvalidCommand(f"{reference} has the {unique.attributes} of another")
                taken.add(known)

    def _value(self, own: Reference, name: str) -> object:
        """Return the value of an attribute, the target of a key, even if it was deleted, or the whole."""
        role = self.model.classes[own.class_name].roles.get(name)
        if role is None:
            return self.objects[own].get(name)
        if role.whole:
            ways = ((whole, key) for (whole, key), ids in self.parts.items() if own.id in ids)
            wholes = (
                whole.id for whole, key in ways if (whole.class_name, key) == (role.target, role.opposite)
            )
            return next(wholes, None)
        return next(iter(self.led_to(own, role)), self.broken_keys.get((own, name)))


class _Application:
    """The application of one command to a copy of the graph."""

    def __init__(self, before: ReferenceGraph, ids: Iterator[str]) -> None:
        self._before = before
        self._graph = before.copy()
        self._ids = ids
        self._called: dict[Reference, str] = {}
        self._made: dict[int, str] = {}
        self._keys: dict[tuple[Reference, str], str | None] = {}
        """The requested target of each key, by its holder and role."""
        self._left: set[tuple[Reference, str, str]] = set()
        """The keys that must not lead to a target: holder, role, and the target's id."""
        self._links: dict[tuple[RoleName, Pair], bool] = {}
        self._ended: set[Reference] = set()

    def of(self, command: Command) -> ReferenceGraph:
        if isinstance(command, Create | Update):
            self._name(command)
            self._go(command)
        else:
            self._end(command.reference)
        self._agree()
        self._forget()
        self._graph.check()
        return self._graph

    def _name(self, command: Create | Update) -> None:
        if isinstance(command, Create):
            class_name, id_ = command.class_name, next(self._ids)
            self._made[id(command)] = id_
        else:
            class_name, id_ = command.reference
        name = Reference(class_name, command.client_id or "")
        if command.client_id is not None and self._called.setdefault(name, id_) != id_:
            raise InvalidCommand("one name for two")
        for asked in command.roles.values():
            if isinstance(asked, PartsCommand):
                for part in _parts(asked):
                    self._name(part)

    def _meant(self, class_name: str, id_: str) -> str:
        return self._called.get(Reference(class_name, id_), id_)

    def _go(self, command: Create | Update) -> None:
        if isinstance(command, Create):
            own = Reference(command.class_name, self._made[id(command)])
        else:
            own = Reference(command.reference.class_name, self._meant(*command.reference))
            if own not in self._before.objects:
                raise InvalidCommand(f"there is no {own}")
        self._graph.objects.setdefault(own, {}).update(command.values)
        for name, asked in command.roles.items():
            self._ask(own, self._graph.model.classes[own.class_name].roles[name], asked)

    def _ask(self, own: Reference, role: Role, asked: RoleCommand) -> None:
        if isinstance(asked, PartsCommand):
            self._ask_parts(own, role, asked)
        elif isinstance(asked, ToOneCommand):
            self._ask_one(own, role, asked)
        else:
            self._ask_many(own, role, asked)

    def _ask_parts(self, own: Reference, role: Role, asked: PartsCommand) -> None:
        before = self._before.parts[own, role.name]
        gone = {self._meant(role.target, id_) for id_ in asked.delete}
        changed = [self._meant(*part.reference) for part in asked.update]
        if not {*gone, *changed} <= {*before} or len({*changed}) < len(changed):
            raise InvalidCommand("no part here, or one named twice")
        gone |= {*before} if asked.delete_all else {*()}
        if gone & {*changed}:
            raise InvalidCommand("changed and ended")
        after = [
            *(id_ for id_ in before if id_ not in gone),
            *(self._made[id(part)] for part in asked.create),
        ]
        if not role.many and len(after) > 1:
            raise InvalidCommand("two parts where there can be one")
        self._graph.parts[own, role.name] = after
        for id_ in gone:
            self._end(Reference(role.target, id_))
        for part in _parts(asked):
            self._go(part)

    def _end(self, reference: Reference) -> None:
        if reference not in self._before.objects:
            return
        self._ended.add(reference)
        for role in self._graph.model.classes[reference.class_name].roles.values():
            for id_ in self._before.parts[reference, role.name] if role.composition else ():
                self._end(Reference(role.target, id_))

    def _ask_one(self, own: Reference, role: Role, asked: ToOneCommand) -> None:
        if asked.target is not None and asked.remove:
            raise InvalidCommand("set and removed")
        to = None if asked.target is None else self._meant(role.target, asked.target)
        if role.holds_key:
            self._ask_key(own, role, to)
            self._lead(own, role, to)
            return
        for other in self._before.led_to(own, role):
            if other != to:
                self._release(own, role, other)
        if to is not None:
            self._claim(own, role, to)

    def _ask_many(self, own: Reference, role: Role, asked: ToManyCommand) -> None:
        added = {self._meant(role.target, id_) for id_ in asked.add}
        removed = {self._meant(role.target, id_) for id_ in asked.remove}
        if added & removed:
            raise InvalidCommand("added and removed")
        removed |= {*self._before.led_to(own, role)} - added if asked.remove_all else {*()}
        side = self._graph.side(own.class_name, role)
        is_keyed = self._graph.role(side.name).holds_key
        for other in removed:
            self._release(own, role, other) if is_keyed else self._ask_link(side, own.id, other, begins=False)
        for other in added:
            self._claim(own, role, other) if is_keyed else self._ask_link(side, own.id, other, begins=True)

    def _ask_key(self, holder: Reference, role: Role, to: str | None) -> None:
        if self._keys.setdefault((holder, role.name), to) != to:
            raise InvalidCommand("a key is asked to lead to several")

    def _lead(self, holder: Reference, role: Role, to: str | None) -> None:
        """Set the target of a key. Setting a broken key to the same deleted target is allowed."""
        name = RoleName(holder.class_name, role.name)
        if to is not None and self._before.broken_keys.get((holder, role.name)) == to:
            return
        self._graph.broken_keys.pop((holder, role.name), None)
        self._graph.pairs[name] -= {(holder.id, old) for old in self._before.led_to(holder, role)}
        self._graph.pairs[name] |= {(holder.id, to)} if to is not None else {*()}

    def _claim(self, own: Reference, role: Role, id_: str) -> None:
        """Set the key of another object to lead here. A one-to-one key keeps its former target, too."""
        holder = Reference(role.target, id_)
        key = self._graph.role(RoleName(role.target, str(role.opposite)))
        self._ask_key(holder, key, own.id)
        if holder not in self._graph.objects:
            raise InvalidCommand(f"there is no {holder}")
        if role.many:
            self._lead(holder, key, own.id)
        else:
            self._graph.broken_keys.pop((holder, key.name), None)
            self._graph.pairs[RoleName(role.target, key.name)].add((id_, own.id))

    def _release(self, own: Reference, role: Role, id_: str) -> None:
        name = RoleName(role.target, str(role.opposite))
        self._left.add((Reference(role.target, id_), name.role_name, own.id))
        if (id_, own.id) in self._before.pairs[name]:
            self._graph.pairs[name].discard((id_, own.id))

    def _ask_link(self, side: Side, own: str, other: str, *, begins: bool) -> None:
        pair = side.pair(own, other)
        if self._links.setdefault((side.name, pair), begins) != begins:
            raise InvalidCommand("a link is asked to begin and to end")
        (self._graph.pairs[side.name].add if begins else self._graph.pairs[side.name].discard)(pair)

    def _agree(self) -> None:
        """Raise InvalidCommand if both sides of an association contradict, or use a deleted object."""
        for (holder, name), to in self._keys.items():
            role = self._graph.role(RoleName(holder.class_name, name))
            if to is not None and ({holder, Reference(role.target, to)} & self._ended):
                raise InvalidCommand("a key is asked of what ends")
            if to is not None and (holder, name, to) in self._left:
                raise InvalidCommand("a key is asked to lead somewhere, and not to")
        for (link, (own, other)), begins in self._links.items():
            ends = {Reference(link.class_name, own), Reference(self._graph.role(link).target, other)}
            if begins and ends & self._ended:
                raise InvalidCommand("a link is asked of what ends")

    def _forget(self) -> None:
        """Remove the deleted objects and their associations, and record the keys that they break."""
        for reference in self._ended:
            del self._graph.objects[reference]
        for name, pairs in self._graph.pairs.items():
            role = self._graph.role(name)
            for own, other in [*pairs]:
                holder = Reference(name.class_name, own)
                if holder in self._ended or Reference(role.target, other) in self._ended:
                    pairs.discard((own, other))
                    if role.holds_key and holder not in self._ended:
                        self._graph.broken_keys[holder, role.name] = other
        kept: dict[tuple[Reference, str], Any]
        for kept in (self._graph.broken_keys, self._graph.parts):
            for gone in [key for key in kept if key[0] in self._ended]:
                del kept[gone]


def _parts(asked: PartsCommand) -> list[Create | Update]:
    return [*asked.create, *asked.update]
