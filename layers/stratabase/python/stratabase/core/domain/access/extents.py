"""How far a profile may act: on all objects of a class, on some of them, or on none."""

from collections.abc import Callable, Mapping
from enum import Enum

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.objects.entity import whole_roles
from stratabase.core.model.model import Action, Class, ClassKind, Model, Role


class Extent(Enum):
    """How far a profile may act."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"
    """A condition of a grant decides for each object."""
    NEVER = "never"


_POSSIBLE: Mapping[ClassKind, frozenset[Action]] = {
    ClassKind.ORDINARY: frozenset(Action),
    ClassKind.SINGLETON: frozenset({Action.READ, Action.EDIT}),
    ClassKind.FORM: frozenset({Action.READ, Action.CREATE}),
    ClassKind.USERS: frozenset({Action.READ}),
}
_MAY: Mapping[Action, Callable[[Capabilities, Class], bool]] = {
    Action.READ: Capabilities.sees,
    Action.CREATE: Capabilities.creates,
    Action.EDIT: Capabilities.updates,
    Action.DELETE: Capabilities.deletes,
}


class Extents:
    """How far one profile may act. `access` is None for a profile that may do everything."""

    def __init__(self, model: Model, access: Access | None) -> None:
        self._model = model
        self._access = access
        self.capabilities = Capabilities(model, access)

    def of_class(self, class_: Class, action: Action) -> Extent:
        """Return on which objects of a class the profile may perform an action."""
        if action not in _POSSIBLE[class_.kind] or not _MAY[action](self.capabilities, class_):
            return Extent.NEVER
        access = self._access
        if access is None:
            return Extent.ALWAYS
        is_full = (
            access.sees_every_object(class_.name)
            if action is Action.READ
            else self._is_unconditional(access, class_, action, frozenset())
        )
        return Extent.ALWAYS if is_full else Extent.SOMETIMES

    def of_value(self, class_: Class, name: str) -> Extent:
        """Return of which objects that the profile sees it may read an attribute or a label."""
        if not self.capabilities.reads(class_, name):
            return Extent.NEVER
        access = self._access
        is_full = access is None or access.conditional_source(class_.name, name) is None
        return Extent.ALWAYS if is_full else Extent.SOMETIMES

    def of_role(self, class_: Class, role: Role) -> Extent:
        """Return of which objects that the profile sees it may follow a role, at least to some objects."""
        if not self.capabilities.follows(class_, role):
            return Extent.NEVER
        return self._of_field(class_, role.name)

    def of_setting(self, class_: Class, name: str, action: Action) -> Extent:
        """Return of which objects that the profile creates or edits it may set an attribute or a role."""
        if action not in _POSSIBLE[class_.kind] or not self.capabilities.sets(class_, name, (action,)):
            return Extent.NEVER
        return self._of_field(class_, name)

    def _of_field(self, class_: Class, name: str) -> Extent:
        permission = None if self._access is None else self._access.field_permission(class_.name, name)
        is_full = permission is None or permission.where is None
        return Extent.ALWAYS if is_full else Extent.SOMETIMES

    def _is_unconditional(self, access: Access, class_: Class, action: Action, parts: frozenset[str]) -> bool:
        """Return whether an action is permitted on all objects of a class. `parts`: the classes below."""
        if not access.follows_whole(class_.name):
            permission = access.class_permission(class_.name)
            sees_all = not class_.part or access.sees_every_object(class_.name)
            return action in permission.actions and permission.where is None and sees_all
        # What happens to a part is an edit of its whole, or a creation.
        above = Action.CREATE if action is Action.CREATE else Action.EDIT
        return all(
            self._of_field(self._model.classes[role.target], str(role.opposite)) is Extent.ALWAYS
            and (
                role.target in parts
                or self._is_unconditional(
                    access, self._model.classes[role.target], above, parts | {class_.name}
                )
            )
            for role in whole_roles(class_)
        )
