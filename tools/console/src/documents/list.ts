// The documents of lists: one page of objects, and how many there are.

import type { Attribute, ModelClass, Role } from "../description/model";
import { quote, roleField, shownField } from "./selection";

/** Objects are counted up to this number, because more take long and say little. */
export const COUNTED = 1000;

export interface ListDocument {
  readonly attributes: readonly Attribute[];
  readonly roles: readonly Role[];
  /** Objects of any classes whose labels are asked for, too: as `named0`, `named1` and so on. */
  readonly named?: readonly NamedObject[];
}

export interface NamedObject {
  readonly className: string;
  readonly id: string;
}

/** Returns the document of a page. Its variables are `options` and, as of an instant, `atVersion`. */
export function listDocument(
  class_: ModelClass,
  { attributes, roles, named = [] }: ListDocument,
  isPast: boolean,
): string {
  const fields = ["_id", "_label", ...attributes.map(shownField), ...roles.map(roleField)];
  const page = `items { ${fields.join(" ")} }
    totalCountUpTo(limit: ${COUNTED}) { count more } nextCursor prevCursor hasNext hasPrev`;
  const labels = named.map(
    ({ className, id }, index) => `named${index}: ${className}___get(_id: ${quote(id)}) { _id _label }`,
  );
  return pageDocument(class_, isPast, page, labels);
}

/** Returns the document of the first objects that options select, by their labels. */
export function labelsDocument(class_: ModelClass): string {
  return pageDocument(class_, false, "items { _id _label }");
}

/** Returns the document that counts all objects of a filter exactly. */
export function countDocument(class_: ModelClass, isPast: boolean): string {
  return pageDocument(class_, isPast, "totalCount");
}

function pageDocument(
  { name }: ModelClass,
  isPast: boolean,
  fields: string,
  others: readonly string[] = [],
): string {
  const variables = `$options: ${name}PageOptions${isPast ? ", $atVersion: Datetime" : ""}`;
  const values = `options: $options${isPast ? ", atVersion: $atVersion" : ""}`;
  return `query(${variables}) { page: ${name}___getPage(${values}) { ${fields} } ${others.join(" ")} }`;
}
