// The objects that a role leads to, by their labels, as a cell shows them.

import { Link } from "wouter";
import { paths } from "../app/routes";
import { isToMany, offers, type Role } from "../description/model";
import { labelOf, type StoredObject } from "../description/stored_object";
import { useModel } from "../description/use_model";
import { plural } from "../messages/messages";
import { Nothing } from "../values/value_text";

interface RoleCellProps {
  readonly role: Role;
  /** What `roleField` selects. */
  readonly value: unknown;
}

interface FewObjects {
  readonly items: readonly StoredObject[];
  readonly totalCount: number;
}

export function RoleCell({ role, value }: RoleCellProps) {
  if (!value) return <Nothing />;
  if (!isToMany(role)) return <Reference role={role} object={value as StoredObject} />;
  const { items, totalCount } = value as FewObjects;
  if (totalCount === 0) return <Nothing />;
  // Ids say nothing beside each other.
  if (items.some(({ _label }) => !_label)) return plural(totalCount, "{count} object", "{count} objects");
  const more = totalCount - items.length;
  return (
    <span className="cell-text">
      {items.map(labelOf).join(", ")}
      {more > 0 && <span className="quiet"> +{more}</span>}
    </span>
  );
}

function Reference({ role, object }: { readonly role: Role; readonly object: StoredObject }) {
  const target = useModel().find(role.target);
  const isLinked = target && target.kind !== "USERS" && offers(target, "get");
  const className = object._label ? "cell-text" : "cell-text quiet";
  if (!isLinked) return <span className={className}>{labelOf(object)}</span>;
  return (
    <Link href={paths.object(role.target, object._id)} className={`${className} list-reference`}>
      {labelOf(object)}
    </Link>
  );
}
