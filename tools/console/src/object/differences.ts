// What differs between an object as it is and as a write would leave it, derived values and parts included.

import { type Attribute, isToMany, type Model, type ModelClass, type Role } from "../description/model";
import { nameOf } from "../documents/name";
import { rolesOf } from "../documents/object";

export type Shown = Readonly<Record<string, unknown>>;

/** A value that would be another one. */
export interface Difference {
  readonly name: string;
  /** Absent for roles. Their values are labels. */
  readonly attribute?: Attribute;
  readonly before: unknown;
  readonly after: unknown;
}

/** An object, or a part of it, that would change. */
export interface ChangedObject {
  /** The roles that lead to it from the object of the page. */
  readonly roles: readonly string[];
  readonly label: string | null;
  readonly change: "ADDED" | "CHANGED" | "REMOVED";
  readonly differences: readonly Difference[];
}

/** Returns what would change of an object and its parts. Without a former state, all values are new. */
export function differencesOf(
  model: Model,
  class_: ModelClass,
  before: Shown | null,
  after: Shown | null,
  roles: readonly string[] = [],
): readonly ChangedObject[] {
  const attributes = class_.attributes.flatMap((attribute) => {
    const [old, now] = [before?.[attribute.name] ?? null, after?.[attribute.name] ?? null];
    return isSame(old, now) ? [] : [{ name: attribute.name, attribute, before: old, after: now }];
  });
  const references = rolesOf(model, class_)
    .filter((role) => role.kind === "ASSOCIATION" && !isToMany(role))
    .flatMap((role) => {
      const [old, now] = [targetOf(before, role), targetOf(after, role)];
      return old?.["_id"] === now?.["_id"]
        ? []
        : [{ name: role.name, before: labelOf(old), after: labelOf(now) }];
    });
  const differences = [...attributes, ...references];
  const own: ChangedObject = {
    roles,
    label: ((after ?? before)?.["_label"] as string | null | undefined) ?? null,
    change: before === null ? "ADDED" : after === null ? "REMOVED" : "CHANGED",
    // The values of what goes say nothing.
    differences: after === null ? [] : differences,
  };
  const parts = class_.roles
    .filter(({ kind }) => kind === "COMPOSITION")
    .flatMap((role) => partsOf(model, role, before, after, roles));
  const isShown = own.change !== "CHANGED" || differences.length > 0;
  return [...(isShown ? [own] : []), ...(after === null ? [] : parts)];
}

function partsOf(
  model: Model,
  role: Role,
  before: Shown | null,
  after: Shown | null,
  roles: readonly string[],
): readonly ChangedObject[] {
  const target = model.find(role.target);
  if (!target) return [];
  const [old, now] = [itemsOf(before, role), itemsOf(after, role)];
  const way = [...roles, role.name];
  const idOf = (part: Shown) => part["_id"] ?? null;
  const removed = old.filter((part) => !now.some((each) => idOf(each) === idOf(part)));
  return [
    ...now.flatMap((part) => {
      const former = idOf(part) === null ? undefined : old.find((each) => idOf(each) === idOf(part));
      return differencesOf(model, target, former ?? null, part, way);
    }),
    ...removed.flatMap((part) => differencesOf(model, target, part, null, way)),
  ];
}

function itemsOf(object: Shown | null, role: Role): readonly Shown[] {
  const found = object?.[role.name] as Shown | null | undefined;
  if (!found) return [];
  return isToMany(role) ? (found["items"] as readonly Shown[]) : [found];
}

function targetOf(object: Shown | null, role: Role): Shown | null {
  return (object?.[role.name] as Shown | null | undefined) ?? null;
}

function labelOf(object: Shown | null): string | null {
  return object && (nameOf(object) ?? String(object["_id"]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
