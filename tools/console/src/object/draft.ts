// The editable state of an object with its parts. A draft never changes: each change makes a new one.

import type { StoredObject } from "../description/stored_object";
import { nameOf } from "../documents/name";

/** An object that a role leads to. */
export interface Reference {
  readonly id: string;
  readonly label: string | null;
}

/** What changes in a role to many objects, whose pages the form doesn't hold. */
export interface LinksDraft {
  readonly added: readonly Reference[];
  readonly removed: readonly Reference[];
}

/** The parts of a role. If the role leads to one part, one draft at most is not deleted. */
export interface PartsDraft {
  readonly isToMany: boolean;
  readonly drafts: readonly Draft[];
}

export interface Draft {
  readonly className: string;
  /** The `_id` of the stored object, or null if the object is new. */
  readonly id: string | null;
  /** What names a new object in requests. A stored object has its `_id` here. */
  readonly clientId: string;
  /** The `_revision` that was read. */
  readonly revision: string | null;
  readonly label: string | null;
  /** Whether there is exactly one object of the class, which inputs don't name. */
  readonly isSingleton: boolean;
  /** Whether a part is to be deleted. */
  readonly isDeleted: boolean;
  /** The values of attributes, as inputs of the API have them. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The targets of associations to one object. */
  readonly references: Readonly<Record<string, Reference | null>>;
  readonly links: Readonly<Record<string, LinksDraft>>;
  /** The object as it was read, or null if it is new. */
  readonly stored: StoredObject | null;
  /** The parts of compositions. A role whose parts haven't been read is absent, and stays as it is. */
  readonly parts: Readonly<Record<string, PartsDraft>>;
}

export const NO_LINKS: LinksDraft = { added: [], removed: [] };

/** Returns a draft without any value. */
export function emptyDraft(className: string, known: Partial<Draft> = {}): Draft {
  return {
    className,
    id: null,
    clientId: known.id ?? newClientId(),
    revision: null,
    label: null,
    isSingleton: false,
    isDeleted: false,
    stored: null,
    values: {},
    references: {},
    links: {},
    parts: {},
    ...known,
  };
}

function newClientId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `new-${[...bytes].map((byte) => byte.toString(36)).join("")}`;
}

/** Returns an object as a role leads to it, or null. */
export function referenceOf(stored: StoredObject | null | undefined): Reference | null {
  return stored ? { id: stored._id, label: nameOf(stored) } : null;
}

/**
 * The place of a draft in the draft of the whole form: empty for the object itself, otherwise the roles and
 * parts that lead there, such as `addresses:06h1/rooms:new-1`.
 */
export type DraftPath = string;

export const ROOT: DraftPath = "";

export function partPath(path: DraftPath, role: string, part: Draft): DraftPath {
  const step = `${role}:${part.clientId}`;
  return path ? `${path}/${step}` : step;
}

interface Step {
  readonly role: string;
  readonly clientId: string;
}

export function stepsOf(path: DraftPath): readonly Step[] {
  if (!path) return [];
  return path.split("/").map((step) => {
    const colon = step.indexOf(":");
    return { role: step.slice(0, colon), clientId: step.slice(colon + 1) };
  });
}

/** Returns the draft at a place, or undefined if it is no longer there. */
export function draftAt(draft: Draft, path: DraftPath): Draft | undefined {
  let found: Draft | undefined = draft;
  for (const { role, clientId } of stepsOf(path))
    found = found?.parts[role]?.drafts.find((part) => part.clientId === clientId);
  return found;
}

/** Returns the whole draft with the one at a place changed. */
export function changeAt(draft: Draft, path: DraftPath, change: (draft: Draft) => Draft): Draft {
  const [step, ...rest] = path.split("/");
  if (!step) return change(draft);
  const { role, clientId } = stepsOf(step)[0] as Step;
  const parts = draft.parts[role];
  if (!parts) return draft;
  const changed = (part: Draft) =>
    part.clientId === clientId ? changeAt(part, rest.join("/"), change) : part;
  return withParts(draft, role, { ...parts, drafts: parts.drafts.map(changed) });
}

export function withValue(draft: Draft, attribute: string, value: unknown): Draft {
  return { ...draft, values: { ...draft.values, [attribute]: value } };
}

export function withReference(draft: Draft, role: string, target: Reference | null): Draft {
  return { ...draft, references: { ...draft.references, [role]: target } };
}

export function withParts(draft: Draft, role: string, parts: PartsDraft): Draft {
  return { ...draft, parts: { ...draft.parts, [role]: parts } };
}

/** Returns a draft in which a role to many objects leads to one more. */
export function withLink(draft: Draft, role: string, target: Reference): Draft {
  const { added, removed } = draft.links[role] ?? NO_LINKS;
  const isPutBack = removed.some(({ id }) => id === target.id);
  const isThere = added.some(({ id }) => id === target.id);
  return withLinks(draft, role, {
    added: isPutBack || isThere ? added : [...added, target],
    removed: removed.filter(({ id }) => id !== target.id),
  });
}

/** Returns a draft in which a role to many objects no longer leads to one. */
export function withoutLink(draft: Draft, role: string, target: Reference): Draft {
  const { added, removed } = draft.links[role] ?? NO_LINKS;
  const isNew = added.some(({ id }) => id === target.id);
  return withLinks(draft, role, {
    added: added.filter(({ id }) => id !== target.id),
    removed: isNew ? removed : [...removed, target],
  });
}

function withLinks(draft: Draft, role: string, links: LinksDraft): Draft {
  return { ...draft, links: { ...draft.links, [role]: links } };
}

export function withPart(draft: Draft, role: string, isToMany: boolean, part: Draft): Draft {
  const drafts = draft.parts[role]?.drafts ?? [];
  return withParts(draft, role, { isToMany, drafts: [...drafts, part] });
}

/** Returns a draft without a part. A stored part stays, so that its deletion can be undone until it is saved. */
export function withoutPart(draft: Draft, role: string, part: Draft): Draft {
  const parts = draft.parts[role];
  if (!parts) return draft;
  const drafts = parts.drafts
    .filter((each) => each.clientId !== part.clientId || each.id !== null)
    .map((each) => (each.clientId === part.clientId ? { ...each, isDeleted: true } : each));
  return withParts(draft, role, { ...parts, drafts });
}
