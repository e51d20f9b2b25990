// Selections of attributes and roles, and literals, as texts of GraphQL.

import { type Attribute, isToMany, type Role } from "../description/model";
import { valueTypeOf } from "../values/registry";

/** How many objects of a to-many role are shown beside an object. */
export const FEW = 3;

/** Returns the field of an attribute as it is shown: dates are in the member's formats. */
export function shownField(attribute: Attribute): string {
  return attribute.name + valueTypeOf(attribute).shown;
}

/** Returns the field of an attribute as it is edited, exact and the same for all members. */
export function editedField(attribute: Attribute): string {
  return attribute.name + valueTypeOf(attribute).edited;
}

/** Returns the field of a role: the ids and labels of the objects that it leads to, or of a few of them. */
export function roleField(role: Role): string {
  if (!isToMany(role)) return `${role.name} { _id _label }`;
  return `${role.name}(options: {next: ${FEW}}) { items { _id _label } totalCount }`;
}

const ESCAPED = /["\\\p{Cc}\u2028\u2029]/gu;

/** Returns a text as a string literal of GraphQL. */
export function quote(value: string): string {
  const escaped = (character: string) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${value.replace(ESCAPED, escaped)}"`;
}
