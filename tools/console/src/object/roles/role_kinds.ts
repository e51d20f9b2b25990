// The kinds of roles, one row each: how forms edit them, and how pages show them.

import type { ComponentType } from "react";
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

export interface RoleKind {
  /** Whether the role is one field among the attributes, rather than a section of its own. */
  readonly isField: boolean;
  readonly Field: ComponentType<RoleProps>;
}

const KINDS: Readonly<Record<string, RoleKind>> = {
  "ASSOCIATION to one": { isField: true, Field: ReferenceField },
  "ASSOCIATION to many": { isField: false, Field: LinksField },
  "COMPOSITION to one": { isField: false, Field: PartField },
  "COMPOSITION to many": { isField: false, Field: PartsField },
  "WHOLE to one": { isField: true, Field: WholeField },
};

/** Returns how a role is edited and shown. */
export function roleKindOf(role: Role): RoleKind {
  const found = KINDS[`${role.kind} to ${isToMany(role) ? "many" : "one"}`];
  if (!found) throw new Error(`The role ${role.name} is of an unknown kind.`);
  return found;
}
