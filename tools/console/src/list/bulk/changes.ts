// What the member changes in many objects at once: attributes, and associations to one object.

import { type Attribute, isToMany, type ModelClass, type Role } from "../../description/model";
import { isWritable } from "../../documents/object";
import type { Reference } from "../../object/draft";
import { problemOf, valueTypeOf } from "../../values/registry";

export type BulkField =
  | { readonly kind: "attribute"; readonly name: string; readonly attribute: Attribute }
  | { readonly kind: "role"; readonly name: string; readonly role: Role };

export interface Change {
  readonly field: BulkField;
  /** A value of the attribute, or the object to associate. Null clears the field. */
  readonly value: unknown;
}

/** Returns the fields of a class that many objects can share. A file that was uploaded is for one object. */
export function bulkFields(class_: ModelClass): readonly BulkField[] {
  const attributes = class_.attributes.filter(
    (each) => isWritable(each, false) && valueTypeOf(each).isShared,
  );
  const roles = class_.roles.filter(
    (each) => each.kind === "ASSOCIATION" && !isToMany(each) && isWritable(each, false),
  );
  return [
    ...attributes.map((attribute) => ({ kind: "attribute", name: attribute.name, attribute }) as const),
    ...roles.map((role) => ({ kind: "role", name: role.name, role }) as const),
  ];
}

/** Whether objects must have the field, so that it can't be cleared. */
export function isNeeded(field: BulkField): boolean {
  return field.kind === "attribute" ? field.attribute.required : field.role.min > 0;
}

/** Whether a change has a value that can't be sent. */
export function isWrong({ field, value }: Change): boolean {
  if (value === null) return isNeeded(field);
  return field.kind === "attribute" && problemOf(field.attribute, value) !== null;
}

/** Returns the changes as UpdateBulk takes them. */
export function dataOf(changes: readonly Change[]): Record<string, unknown> {
  return Object.fromEntries(changes.map(({ field, value }) => [field.name, inputOf(field, value)]));
}

function inputOf(field: BulkField, value: unknown): unknown {
  if (field.kind === "attribute") return value;
  return value === null ? { remove: true } : { set: (value as Reference).id };
}
