// Makes drafts: of a stored object, of a new one, and of one that is copied.

import { type Attribute, isToMany, type Model, type ModelClass, type Role } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { nameIn } from "../documents/name";
import { isWritable } from "../documents/object";
import { valueTypeOf } from "../values/registry";
import { type Draft, emptyDraft, type PartsDraft, type Reference, referenceOf } from "./draft";

interface StoredPage {
  readonly items: readonly StoredObject[];
}

/** Returns the draft of an object that was read as `objectDocument` selects it for editing. */
export function draftOf(model: Model, class_: ModelClass, stored: StoredObject): Draft {
  const references: Record<string, Reference | null> = {};
  const parts: Record<string, PartsDraft> = {};
  for (const role of class_.roles) {
    const found = stored[role.name];
    if (found === undefined) continue;
    if (role.kind === "COMPOSITION") parts[role.name] = partsOf(model, role, found);
    else if (role.kind === "ASSOCIATION" && !isToMany(role))
      references[role.name] = referenceOf(found as StoredObject | null);
  }
  return emptyDraft(class_.name, {
    id: stored._id,
    revision: stored._revision ?? null,
    label: nameIn(class_, stored),
    isSingleton: class_.kind === "SINGLETON",
    stored,
    values: valuesOf(class_, stored),
    references,
    parts,
  });
}

/** Returns the values that a member may change, as inputs have them. */
function valuesOf(class_: ModelClass, stored: StoredObject): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const attribute of class_.attributes) {
    const value = stored[attribute.name];
    if (!isWritable(attribute, false) || value === undefined) continue;
    values[attribute.name] = value === null ? null : valueTypeOf(attribute).toInput(value);
  }
  return values;
}

/** Returns the drafts of the parts that a role has led to. */
export function partsOf(model: Model, role: Role, found: unknown): PartsDraft {
  const target = model.of(role.target);
  const items = isToMany(role)
    ? ((found as StoredPage | null)?.items ?? [])
    : found
      ? [found as StoredObject]
      : [];
  return { isToMany: isToMany(role), drafts: items.map((item) => draftOf(model, target, item)) };
}

/** Returns the draft of a new object, with the values that the model gives it. */
export function newDraft(class_: ModelClass): Draft {
  const values: Record<string, unknown> = {};
  for (const attribute of class_.attributes) {
    if (attribute.default === undefined || !isWritable(attribute, true)) continue;
    values[attribute.name] = defaultOf(attribute, attribute.default);
  }
  return emptyDraft(class_.name, { values });
}

const PARSED = new Set(["Boolean", "Int", "Year"]);

/** Returns a default, which the model writes as a text, as an input. */
function defaultOf({ type, values }: Attribute, text: string): unknown {
  return PARSED.has(type) && !values ? JSON.parse(text) : text;
}

/**
 * Returns the draft of a new object like a stored one.
 *
 * What can't be the same in both is left out: unique values, files, and partners that can have one only.
 */
export function copyOf(model: Model, class_: ModelClass, draft: Draft): Draft {
  const values: Record<string, unknown> = {};
  for (const attribute of class_.attributes) {
    const value = draft.values[attribute.name];
    const isCopied = isWritable(attribute, true) && !attribute.unique && attribute.type !== "File";
    if (isCopied && value !== undefined) values[attribute.name] = value;
  }
  const references: Record<string, Reference | null> = {};
  const parts: Record<string, PartsDraft> = {};
  for (const role of class_.roles) {
    if (!isWritable(role, true)) continue;
    const target = draft.references[role.name];
    if (target && !isExclusive(model, role)) references[role.name] = target;
    const found = draft.parts[role.name];
    if (found) {
      const drafts = found.drafts.filter(({ isDeleted }) => !isDeleted);
      parts[role.name] = {
        isToMany: found.isToMany,
        drafts: drafts.map((part) => copyOf(model, model.of(role.target), part)),
      };
    }
  }
  return emptyDraft(class_.name, { values, references, parts });
}

/** Whether the target of a role can have no second partner. */
function isExclusive(model: Model, role: Role): boolean {
  const opposite = model.of(role.target).roles.find(({ name }) => name === role.opposite);
  return opposite !== undefined && !isToMany(opposite);
}
