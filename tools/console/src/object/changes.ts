// What a draft changes, and the inputs of the API that say so. Whatever a draft leaves as it is isn't sent.

import type { Draft, PartsDraft } from "./draft";

type Input = Record<string, unknown>;

/** The names of what a draft changes. */
export interface Changes {
  readonly attributes: readonly string[];
  readonly roles: readonly string[];
}

/** Returns the names of the attributes and roles in which a draft differs from the one that was read. */
export function changesOf(draft: Draft, original: Draft): Changes {
  return {
    attributes: namesOf(draft.values, original.values).filter(
      (name) => !isSame(draft.values[name], original.values[name]),
    ),
    roles: [
      ...namesOf(draft.references, original.references).filter(
        (role) => draft.references[role]?.id !== original.references[role]?.id,
      ),
      ...Object.keys(draft.links).filter((role) => hasLinks(draft, role)),
      ...Object.keys(draft.parts).filter((role) => partsChange(draft.parts[role], original.parts[role])),
    ],
  };
}

/** Whether saving a draft would write anything. */
export function isChanged(draft: Draft, original: Draft): boolean {
  const { attributes, roles } = changesOf(draft, original);
  return attributes.length > 0 || roles.length > 0;
}

/** Whether two values of an attribute are the same for the API. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Returns the input that creates an object with its parts. */
export function createInput(draft: Draft): Input {
  const input: Input = { _clientId: draft.clientId };
  for (const [name, value] of Object.entries(draft.values)) if (value !== null) input[name] = value;
  for (const [role, target] of Object.entries(draft.references)) if (target) input[role] = target.id;
  for (const [role, { added }] of Object.entries(draft.links))
    if (added.length > 0) input[role] = added.map(({ id }) => id);
  for (const [role, parts] of Object.entries(draft.parts)) {
    const created = createdParts(parts);
    if (created.length > 0) input[role] = parts.isToMany ? created : created[0];
  }
  return input;
}

function createdParts({ drafts }: PartsDraft): readonly Input[] {
  return drafts.filter(({ id, isDeleted }) => id === null && !isDeleted).map(createInput);
}

/** Returns the input that changes a stored object and its parts to what a draft says. */
export function updateInput(draft: Draft, original: Draft): Input {
  const input: Input = draft.isSingleton ? {} : { _id: draft.id };
  const { attributes } = changesOf(draft, original);
  for (const name of attributes) input[name] = draft.values[name] ?? null;
  for (const role of namesOf(draft.references, original.references)) {
    const target = draft.references[role];
    if (target?.id === original.references[role]?.id) continue;
    input[role] = target ? { set: target.id } : { remove: true };
  }
  for (const role of Object.keys(draft.links))
    if (hasLinks(draft, role)) input[role] = linksInput(draft, role);
  for (const role of Object.keys(draft.parts)) {
    const change = partsChange(draft.parts[role], original.parts[role]);
    if (change) input[role] = change;
  }
  return input;
}

function linksInput(draft: Draft, role: string): Input {
  const { added = [], removed = [] } = draft.links[role] ?? {};
  return {
    ...(added.length > 0 ? { add: added.map(({ id }) => id) } : {}),
    ...(removed.length > 0 ? { remove: removed.map(({ id }) => id) } : {}),
  };
}

function hasLinks(draft: Draft, role: string): boolean {
  const { added = [], removed = [] } = draft.links[role] ?? {};
  return added.length > 0 || removed.length > 0;
}

/** Returns the input that changes the parts of a role, or null if they stay as they are. */
function partsChange(parts: PartsDraft | undefined, originals: PartsDraft | undefined): Input | null {
  const drafts = parts?.drafts ?? [];
  const created = parts ? createdParts(parts) : [];
  const deleted = drafts.filter(({ id, isDeleted }) => id !== null && isDeleted);
  const updated = drafts
    .filter(({ id, isDeleted }) => id !== null && !isDeleted)
    .flatMap((part) => {
      const original = originals?.drafts.find(({ id }) => id === part.id);
      return original && isChanged(part, original) ? [partUpdate(part, original)] : [];
    });
  if (created.length + deleted.length + updated.length === 0) return null;
  const isToMany = parts?.isToMany ?? true;
  return {
    ...(created.length > 0 ? { create: isToMany ? created : created[0] } : {}),
    ...(updated.length > 0 ? { update: isToMany ? updated : updated[0] } : {}),
    ...(deleted.length > 0 ? { delete: isToMany ? deleted.map(({ id }) => id) : true } : {}),
  };
}

function partUpdate(part: Draft, original: Draft): Input {
  const { revision } = original;
  return { ...updateInput(part, original), ...(revision ? { _ifRevision: revision } : {}) };
}

function namesOf(one: object, other: object): readonly string[] {
  return [...new Set([...Object.keys(other), ...Object.keys(one)])];
}
