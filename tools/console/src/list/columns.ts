// The columns of a list: which ones there are, and which ones are shown.

import { fieldTitle } from "../description/field_title";
import { type Attribute, isToMany, type Model, type ModelClass, type Role } from "../description/model";
import { valueTypeOf } from "../values/registry";

export type Column =
  | { readonly kind: "attribute"; readonly name: string; readonly attribute: Attribute }
  | { readonly kind: "role"; readonly name: string; readonly role: Role };

/** How many columns there are beside the label unless the member has chosen. */
const SHOWN = 7;
const SHOWN_ATTRIBUTES = 5;
/** Types that need more room than a cell has. */
const LARGE = new Set(["Text", "File"]);

/** Returns all columns that a list can have, attributes first. Others are not readable at all. */
export function allColumns(class_: ModelClass, model: Model): readonly Column[] {
  const attributes = class_.attributes
    .filter(({ readable }) => readable !== "never")
    .map((attribute): Column => ({ kind: "attribute", name: attribute.name, attribute }));
  const roles = class_.roles
    .filter(({ readable, target }) => readable !== "never" && model.find(target))
    .map((role): Column => ({ kind: "role", name: role.name, role }));
  return [...attributes, ...roles];
}

/** Returns what says most beside the label: wholes, short attributes, and what to-one roles lead to. */
export function defaultColumns(class_: ModelClass, model: Model): readonly Column[] {
  const columns = allColumns(class_, model);
  const isPlatform = ({ name }: Column) => name.startsWith("_");
  const isInLabel = ({ name }: Column) => class_.labelOf.includes(name);
  const wholes = columns.filter((each) => each.kind === "role" && each.role.kind === "WHOLE");
  const attributes = columns.filter(
    (each) =>
      each.kind === "attribute" && !LARGE.has(each.attribute.type) && !isPlatform(each) && !isInLabel(each),
  );
  const references = columns.filter(
    (each) =>
      each.kind === "role" && each.role.kind === "ASSOCIATION" && !isToMany(each.role) && !isPlatform(each),
  );
  const chosen = [...wholes, ...attributes.slice(0, SHOWN_ATTRIBUTES), ...references];
  return chosen.slice(0, SHOWN);
}

/** Returns the columns with these names, in their order. Names that the class no longer has are left out. */
export function columnsOf(names: readonly string[], class_: ModelClass, model: Model): readonly Column[] {
  const columns = new Map(allColumns(class_, model).map((each) => [each.name, each]));
  return names.map((name) => columns.get(name)).filter((each) => each !== undefined);
}

export function columnTitle({ name }: Column): string {
  return fieldTitle(name);
}

/** Whether objects of the class have labels that the member may read. */
export function hasLabels(class_: ModelClass): boolean {
  return class_.label !== "never";
}

/** Returns the attributes that sort objects by their labels; none if roles are parts of labels. */
export function labelParts(class_: ModelClass): readonly string[] {
  const parts = class_.labelOf.map((name) => class_.attributes.find((each) => each.name === name));
  const isSorted = parts.every(
    (each) => each && isSortable({ kind: "attribute", name: each.name, attribute: each }),
  );
  return isSorted ? class_.labelOf : [];
}

/** Whether the API can sort by a column, and may for this member. */
export function isSortable(column: Column): boolean {
  if (column.kind === "role" || column.attribute.readable !== "always") return false;
  return valueTypeOf(column.attribute).isSortable;
}
