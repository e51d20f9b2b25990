// The documents of lists: one page of objects, and how many there are.

import type { Attribute, ModelClass, Role } from "../description/model";
import { roleField, shownField } from "./selection";

/** Objects are counted up to this number, because more take long and say little. */
export const COUNTED = 1000;

export interface ListDocument {
  readonly attributes: readonly Attribute[];
  readonly roles: readonly Role[];
  /** The objects whose labels the conditions show, by alias. */
  readonly named?: readonly NamedObject[];
}

export interface NamedObject {
  readonly className: string;
  readonly id: string;
}

/** Returns the document of a page. Its variables are `options` and, as of an instant, `atVersion`. */
export function listDocument(
  class_: ModelClass,
  { attributes, roles }: ListDocument,
  isPast: boolean,
): string {
  const fields = ["_id", "_label", ...attributes.map(shownField), ...roles.map(roleField)];
  return pageDocument(
    class_,
    isPast,
    `
    items { ${fields.join(" ")} }
    totalCountUpTo(limit: ${COUNTED}) { count more }
    nextCursor prevCursor hasNext hasPrev`,
  );
}

/** Returns the document that counts all objects of a filter exactly. */
export function countDocument(class_: ModelClass, isPast: boolean): string {
  return pageDocument(class_, isPast, "totalCount");
}

function pageDocument({ name }: ModelClass, isPast: boolean, fields: string): string {
  const variables = `$options: ${name}PageOptions${isPast ? ", $atVersion: Datetime" : ""}`;
  const values = `options: $options${isPast ? ", atVersion: $atVersion" : ""}`;
  return `query(${variables}) { page: ${name}___getPage(${values}) { ${fields} } }`;
}
