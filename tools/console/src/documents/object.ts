// The documents that read one object with its roles and parts, as a form needs it.

import { isToMany, type Model, type ModelClass, offers, type Role } from "../description/model";
import { isShown } from "../values/registry";
import { LOCK_FIELD } from "./lock";
import { nameFields } from "./name";
import { editedField, quote, shownField } from "./selection";

/** As forms take values, or as the service writes them for the member. */
export type ObjectMode = "edited" | "shown";

/** How many parts, and how many objects of a role, are read at a time. */
export const PAGE = { parts: 50, links: 10 } as const;

/** How many levels of parts are read with an object. What is deeper is read when it is opened. */
const LEVELS = 1;

/** Whether the member may see a role of a class, and what it leads to. */
export function isShownRole(model: Model, role: Role): boolean {
  return role.readable !== "never" && model.find(role.target) !== undefined;
}

/** Returns the roles of a class that forms show. Those to members repeat what an attribute says. */
export function rolesOf(model: Model, class_: ModelClass): readonly Role[] {
  return class_.roles.filter(
    (role) =>
      role.creatable !== "never" ||
      role.editable !== "never" ||
      (isShownRole(model, role) && model.of(role.target).kind !== "USERS"),
  );
}

/** Whether the member may write an attribute or a role, of new objects or of stored ones. */
export function isWritable(field: { creatable: string; editable: string }, isNew: boolean): boolean {
  return (isNew ? field.creatable : field.editable) !== "never";
}

/** Returns the selection of an object of a class: its attributes, and its roles with their first objects. */
export function objectSelection(model: Model, class_: ModelClass, mode: ObjectMode, levels = LEVELS): string {
  const attributes = class_.attributes
    .filter(isShown)
    .map((each) => (mode === "edited" && isWritable(each, false) ? editedField(each) : shownField(each)));
  const roles = rolesOf(model, class_)
    .filter((role) => isShownRole(model, role))
    .flatMap((role) => roleSelection(model, role, mode, levels));
  const label = class_.label === "never" ? [] : ["_label"];
  return ["_id", ...label, ...stateFields(class_), ...attributes, ...roles].join(" ");
}

function stateFields(class_: ModelClass): readonly string[] {
  return class_.kind === "FORM" ? [] : ["_revision"];
}

function roleSelection(model: Model, role: Role, mode: ObjectMode, levels: number): readonly string[] {
  const target = model.of(role.target);
  const isPart = levels < LEVELS;
  // What a part belongs to stands around it.
  if (role.kind === "WHOLE" && isPart) return [];
  if (role.kind !== "COMPOSITION") {
    // A page of objects for each of many parts would cost more than the part itself.
    if (isToMany(role) && isPart) return [];
    return [linksField(role, target, { next: PAGE.links })];
  }
  if (levels === 0) return [];
  return [partsField(role, objectSelection(model, target, mode, levels - 1), { next: PAGE.parts })];
}

export interface PageRange {
  readonly next: number;
  readonly cursor?: string | null;
}

/** Returns the field of a role with the ids and names of what it leads to. */
export function linksField(role: Role, target: ModelClass, range: PageRange): string {
  return partsField(role, ["_id", ...nameFields(target)].join(" "), range);
}

/** Returns the field of a role with a selection of what it leads to. */
export function partsField(role: Role, selection: string, range: PageRange): string {
  if (!isToMany(role)) return `${role.name} { ${selection} }`;
  const cursor = range.cursor ? `, cursor: ${quote(range.cursor)}` : "";
  return `${role.name}(options: {next: ${range.next}${cursor}}) { items { ${selection} } hasNext nextCursor }`;
}

/** Returns the fields that only the object of a page has: who has it locked, and since when it is as it is. */
export function pageFields(class_: ModelClass): string {
  return class_.versioned ? `${LOCK_FIELD} _versionStart` : LOCK_FIELD;
}

/** Whether an object of a class can be read by itself. */
export function isReadAlone(class_: ModelClass): boolean {
  return offers(class_, "get");
}

/** Returns the document that reads an object as `object`, as of an instant if there is one. */
export function objectDocument(model: Model, class_: ModelClass, mode: ObjectMode, isPast = false): string {
  const selection = `${objectSelection(model, class_, mode)} ${isPast ? "" : pageFields(class_)}`;
  return document(class_, "object", selection, isPast);
}

function document(class_: ModelClass, alias: string, selection: string, isPast: boolean): string {
  const isSingleton = class_.kind === "SINGLETON";
  const variables = [...(isSingleton ? [] : ["$id: ID!"]), ...(isPast ? ["$atVersion: Datetime"] : [])];
  const values = [...(isSingleton ? [] : ["_id: $id"]), ...(isPast ? ["atVersion: $atVersion"] : [])];
  const declared = variables.length > 0 ? `(${variables.join(", ")})` : "";
  const given = values.length > 0 ? `(${values.join(", ")})` : "";
  return `query${declared} { ${alias}: ${class_.name}___get${given} { ${selection} } }`;
}

/** A part on the way from an object to a deeper one. */
export interface Step {
  readonly role: Role;
  readonly id: string;
}

/**
 * Returns the document that reads a role of a stored object, or of a part of it, as the field that is named
 * like the role, at the end of the steps.
 */
export function roleDocument(
  class_: ModelClass,
  steps: readonly Step[],
  field: string,
  isPast = false,
): string {
  const selection = [...steps].reverse().reduce((inner, { role, id }) => {
    if (!isToMany(role)) return `${role.name} { ${inner} }`;
    return `${role.name}(options: {filter: {_id___eq: ${quote(id)}}}) { items { ${inner} } }`;
  }, field);
  return document(class_, "object", selection, isPast);
}

/** Returns the object at the end of the steps, in the answer to a `roleDocument`. */
export function atSteps(object: unknown, steps: readonly Step[]): Record<string, unknown> | null {
  let found = object as Record<string, unknown> | null;
  for (const { role } of steps) {
    const next = found?.[role.name] as Record<string, unknown> | null | undefined;
    found = (isToMany(role) ? (next?.["items"] as Record<string, unknown>[])?.[0] : next) ?? null;
  }
  return found;
}
