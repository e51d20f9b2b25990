"""What a request comes to, in the making."""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple

from stratabase.domain.access import Access
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.graph.asker import Asker
from stratabase.domain.graph.names import Names
from stratabase.domain.graph.node import Node
from stratabase.domain.graph.task import Task
from stratabase.domain.graph.wish import KeyWishes, LinkWishes, Tie
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, Level, Path
from stratabase.domain.member import Caller
from stratabase.domain.role_name import RoleName
from stratabase.domain.snapshot import Snapshot
from stratabase.domain.subject import Subject
from stratabase.model.class_ import Class
from stratabase.model.model import Model
from stratabase.model.role import Role


class Setting(NamedTuple):
    """What a decision depends on beside the command."""

    model: Model
    names: Names
    caller: Caller
    now: Instant
    snapshot: Snapshot
    access: Access | None = None
    """What the caller may do; None for everything."""
    reports_empty: bool = False
    """Whether the decision reports what is required and still empty; that takes reads that no write needs."""


@dataclass(slots=True)
class Graph:
    """The objects that a request writes, what it asks of keys and links, and what is wrong with it."""

    setting: Setting
    nodes: dict[Reference, Node] = field(default_factory=dict)
    keys: dict[tuple[Reference, RoleName], KeyWishes] = field(default_factory=lambda: defaultdict(KeyWishes))
    """By the object that holds the key, and its role."""
    links: dict[Tie, LinkWishes] = field(default_factory=lambda: defaultdict(LinkWishes))
    named: dict[Reference, list[Asker]] = field(default_factory=lambda: defaultdict(list))
    """Who asks that something lead to an object that may not be there."""
    given: set[Reference] = field(default_factory=set)
    """What the request names to write it."""
    missed: set[tuple[Reference, Path]] = field(default_factory=set)
    """Of what has been told that it is not there, and to whom: the place of who asks."""
    discreet: set[Path] = field(default_factory=set)
    """The places of roles of which no message may tell what they led to."""
    issues: list[Issue] = field(default_factory=list)
    reports: list[Issue] = field(default_factory=list)
    """What validations tell beside the issues, and what stops no write."""
    todo: deque[Task] = field(default_factory=deque)
    """Gone into one after the other and not by recursion: parts may have parts without end."""
    restored: int = 0
    """How many parts the request looks at to restore them."""
    unsettled: dict[Reference, None] = field(default_factory=dict)
    """Objects of which an earlier write has left something to be done before this one: parts are there that
    none of them lists."""
    later: deque[Task] = field(default_factory=deque)
    """What is gone into after all that."""
    _blamed: set[Path] = field(default_factory=set)
    """Places with which something is wrong, and those above them, as the first `_blamed_by` issues say."""
    _blamed_by: int = 0

    def __post_init__(self) -> None:
        """Note what the request is on, with its parts."""
        self.given.update(self.setting.names.there)

    def class_(self, name: str) -> Class:
        """Return a class of the model."""
        return self.setting.model.classes[name]

    def role(self, name: RoleName) -> Role:
        """Return a role of the model."""
        return self.class_(name.class_name).roles[name.role_name]

    def meant(self, class_name: str, id_: str) -> Reference:
        """Return the object of a class that an id means to the client."""
        return self.setting.names.meant(class_name, id_)

    def add(self, node: Node) -> Node:
        """Note an object that the request writes."""
        self.nodes[node.reference] = node
        return node

    def touched(self, reference: Reference, asker: Asker) -> Node | None:
        """Return an object that is written because of what another asks; None where there is none."""
        if reference in self.nodes:
            return self.nodes[reference]
        before = self.before(reference)
        if before is None:
            return None
        subject = Subject(self.class_(reference.class_name), reference.id, path=asker.place)
        return self.add(Node(subject, reference, before, dict(before.state)))

    def name(self, class_: Class, reference: Reference, asker: Asker) -> None:
        """Note who asks for an object; whether that is there the store says, but not of a form."""
        if self.is_new(reference) or asker.place in self.discreet:
            return
        self.named[reference].append(asker)
        # The store looks by itself whether it is there, but for no form, and not whether it is seen.
        is_looked_for = not class_.is_stored or self._may_be_hidden(reference)
        if is_looked_for:
            self._look_for(reference, asker)

    def find(self, reference: Reference, asker: Asker) -> None:
        """Note who asks for an object to which something leads already: nothing is written, so look here."""
        if reference not in self.nodes:
            self.named[reference].append(asker)
            self._look_for(reference, asker)

    def _look_for(self, reference: Reference, asker: Asker) -> None:
        if self.before(reference) is None and self.knows(reference):
            self.miss(reference, asker)

    def miss(self, reference: Reference, asker: Asker) -> None:
        """Tell who asks that an object is not there: once, whoever finds that out."""
        if (reference, asker.place) not in self.missed:
            self.missed.add((reference, asker.place))
            self.issues.append(asker.not_found(reference))

    def before(self, reference: Reference) -> Entity | None:
        """Return an object as it was; None where there is none that the caller sees."""
        entity = self.setting.snapshot.entity(reference)
        return entity if entity is not None and self.sees(reference) else None

    def knows(self, reference: Reference) -> bool:
        """Return whether it is known what `before` returns."""
        snapshot = self.setting.snapshot
        is_told = snapshot.entities.get(reference) is None or reference in snapshot.seen
        return snapshot.knows(reference) and (is_told or not self._may_be_hidden(reference))

    def sees(self, reference: Reference) -> bool:
        """Return whether the caller sees an object that is there."""
        return not self._may_be_hidden(reference) or self.setting.snapshot.sees(reference)

    def hides(self, reference: Reference) -> bool:
        """Return whether the caller must not know of an object, as far as is known."""
        return self._may_be_hidden(reference) and self.before(reference) is None

    def showed(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller sees what an object was at an instant, as far as that is asked of it."""
        access, name = self.setting.access, reference.class_name
        if access is None or access.sees_all(name):
            return True
        return access.reads_class(name) and self.setting.snapshot.showed(reference, at)

    def hid(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller must not know what an object was, of a class that is seen in part."""
        return self._may_be_hidden(reference) and not self.showed(reference, at)

    def shows(self, reference: Reference) -> bool:
        """Return whether a message may tell which object it is about: the caller has named it, or sees it."""
        access = self.setting.access
        if access is None or reference in self.named or reference in self.given:
            return True
        is_read = access.reads_class(reference.class_name)
        return is_read and reference in self.nodes and not self.hides(reference)

    def may_report(self, issue: Issue) -> bool:
        """Return whether the caller may learn that the attributes and roles of an issue are empty."""
        access, class_name = self.setting.access, str(issue.entity_name)
        if access is None:
            return True
        targets = (self.class_(class_name).roles[name].target for name in issue.role_names)
        names = (*issue.attribute_names, *issue.role_names)
        return all(access.shows(class_name, name) for name in names) and all(map(access.sees_all, targets))

    def _may_be_hidden(self, reference: Reference) -> bool:
        """Return whether objects of a class are seen in part: those that nobody reads are not hidden so."""
        access, name = self.setting.access, reference.class_name
        return access is not None and access.reads_class(name) and not access.sees_all(name)

    def is_ended(self, reference: Reference) -> bool:
        """Return whether the request ends an object."""
        return reference in self.nodes and self.nodes[reference].ended

    def is_new(self, reference: Reference) -> bool:
        """Return whether the request makes an object."""
        return reference in self.nodes and self.nodes[reference].new

    def is_blamed(self, place: Path) -> bool:
        """Return whether something is wrong with what the request says at a place, or below it."""
        for issue in self.issues[self._blamed_by :]:
            if issue.level is Level.ERROR:
                self._blamed.update(issue.path[:length] for length in range(len(issue.path) + 1))
        self._blamed_by = len(self.issues)
        return place in self._blamed
