"""Which changes the store refuses while a role is not built, because their outcome cannot be known.

- While the associations of a role are stored as a former model stored them: each change of the role, and the
  deletion of objects that may have it.
- While guards of a one-to-one role are not built: a new key, because an older object may have the same
  target. A target that the same change creates has no other object.
"""

from collections.abc import Iterator

from stratabase.core.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.core.domain.objects.commit_refusals import RoleNotBuilt
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.indexes.registry_cache import WriteSchema, changes_key
from stratabase.core.store.layout.associations import Associations


def unbuilt_role_violations(
    schema: WriteSchema, associations: Associations, change: Change
) -> Iterator[RoleNotBuilt]:
    """Yield the roles that a change alters although they are not built, each for one of its objects."""
    for effect in change.object_effects():
        yield from _moving(schema, associations, effect)
        yield from _unguarded(schema, associations, change, effect)
    for link in change.link_effects():
        ends = associations.by_role[link.role]
        if {ends.near.role, ends.far.role} & schema.changed_roles:
            yield RoleNotBuilt(Reference(link.role.class_name, link.owner), link.role)


def _moving(schema: WriteSchema, associations: Associations, effect: ObjectEffect) -> Iterator[RoleNotBuilt]:
    reference = reference_of(effect)
    for role in sorted(schema.changed_roles):
        target = associations.by_name[role].target
        if effect.after is None:
            if reference.class_name in {role.class_name, target}:
                yield RoleNotBuilt(reference, role)
        elif changes_key(effect, role):
            yield RoleNotBuilt(reference, role)


def _unguarded(
    schema: WriteSchema, associations: Associations, change: Change, effect: ObjectEffect
) -> Iterator[RoleNotBuilt]:
    reference = reference_of(effect)
    for key in associations.foreign_keys(reference.class_name):
        target = key.target_of(effect.after)
        if (
            key.exclusive
            and key.opposite in schema.unbuilt_roles
            and target is not None
            and target != key.target_of(effect.before)
            and not any(
                each.before is None and reference_of(each) == Reference(key.target, target)
                for each in change.object_effects()
            )
        ):
            yield RoleNotBuilt(reference, key.role)
