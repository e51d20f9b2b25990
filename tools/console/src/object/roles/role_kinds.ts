// The kinds of roles, one row each: how forms edit them, and how pages show them.

import { type ComponentType, memo } from "react";
import { isToMany, type Role } from "../../description/model";
import type { Draft, DraftPath } from "../draft";
import { LinksField } from "./links_field";
import { PartField } from "./part_field";
import { PartsField } from "./parts_field";
import { ReferenceField } from "./reference_field";
import { WholeField } from "./whole_field";

export interface RoleProps {
  readonly role: Role;
  /** The place of the object whose role it is. */
  readonly path: DraftPath;
  readonly draft: Draft;
  /** The draft of the object as it was read. */
  readonly original: Draft | undefined;
  /** Whether the member can't change it here. */
  readonly isReadOnly: boolean;
}

/** Whether nothing has changed that a role shows. */
function isSameRole(one: RoleProps, other: RoleProps): boolean {
  const { role, path, draft, original, isReadOnly } = one;
  const { name } = role;
  return (
    role === other.role &&
    path === other.path &&
    isReadOnly === other.isReadOnly &&
    draft.id === other.draft.id &&
    draft.stored === other.draft.stored &&
    draft.references[name] === other.draft.references[name] &&
    draft.links[name] === other.draft.links[name] &&
    draft.parts[name] === other.draft.parts[name] &&
    original?.parts[name] === other.original?.parts[name]
  );
}

export interface RoleKind {
  /** Whether the role is one field among the attributes, rather than a section of its own. */
  readonly isField: boolean;
  readonly Field: ComponentType<RoleProps>;
}

const KINDS: Readonly<Record<string, RoleKind>> = {
  "ASSOCIATION to one": { isField: true, Field: memo(ReferenceField, isSameRole) },
  "ASSOCIATION to many": { isField: false, Field: memo(LinksField, isSameRole) },
  "COMPOSITION to one": { isField: false, Field: memo(PartField, isSameRole) },
  "COMPOSITION to many": { isField: false, Field: memo(PartsField, isSameRole) },
  "WHOLE to one": { isField: true, Field: memo(WholeField, isSameRole) },
};

/** Returns how a role is edited and shown. */
export function roleKindOf(role: Role): RoleKind {
  const found = KINDS[`${role.kind} to ${isToMany(role) ? "many" : "one"}`];
  if (!found) throw new Error(`The role ${role.name} is of an unknown kind.`);
  return found;
}
