// Merges what two members have made of the same object, field by field.
//
// `base` is the object as both have read it, `mine` is what this member has made of it, and `theirs` is the
// object as it is stored now. What only one of them has changed is taken from that one.

import type { Model } from "../../description/model";
import { type FileValue, isPending } from "../../values/files/file_value";
import { isSameValue } from "../../values/registry";
import { isChanged } from "../changes";
import {
  type Draft,
  type DraftPath,
  emptyDraft,
  type LinksDraft,
  type PartsDraft,
  partPath,
  type Reference,
  ROOT,
} from "../draft";

export type Side = "mine" | "theirs";

/** Where two members have changed something: it is taken from one side, or the member chooses the side. */
export type Outcome = Side | "choose";

interface Changed<Value> {
  /** Names the change within its merge. */
  readonly key: string;
  /** The object or part that has changed. */
  readonly path: DraftPath;
  readonly className: string;
  /** The attribute or role. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly base: Value;
  readonly mine: Value;
  readonly theirs: Value;
}

/** What has changed. A part is null where it does not exist. */
export type Change =
  | ({ readonly kind: "value" } & Changed<unknown>)
  | ({ readonly kind: "reference" } & Changed<Reference | null>)
  | ({ readonly kind: "links" } & Changed<LinksDraft | null>)
  | ({ readonly kind: "part" } & Changed<Draft | null>);

export interface Merge {
  readonly changes: readonly Change[];
  /**
   * Returns what to save on top of `theirs`.
   *
   * `choices` has a side by the key of each change that the member chooses. Without a choice, theirs stays.
   */
  resolve(choices: ReadonlyMap<string, Side>): Draft;
}

/** Compares what two members have made of an object. */
export function merge(model: Model, base: Draft, mine: Draft, theirs: Draft): Merge {
  const changes: Change[] = [];
  const resolve = mergeObject({ model, changes }, ROOT, base, mine, theirs);
  return { changes, resolve };
}

interface Context {
  readonly model: Model;
  readonly changes: Change[];
}

type Resolve = (choices: ReadonlyMap<string, Side>) => Draft;

function mergeObject(context: Context, path: DraftPath, base: Draft, mine: Draft, theirs: Draft): Resolve {
  const values = mergeValues(context, path, base, mine, theirs);
  const references = mergeReferences(context, path, base, mine, theirs);
  mergeLinks(context, path, mine);
  const parts = Object.keys({ ...theirs.parts, ...mine.parts }).map(
    (role) => [role, mergeParts(context, path, role, base, mine, theirs)] as const,
  );
  return (choices) => ({
    ...theirs,
    clientId: mine.clientId,
    values: { ...theirs.values, ...taken(values, choices) },
    references: { ...theirs.references, ...taken(references, choices) },
    links: mine.links,
    parts: Object.fromEntries(parts.map(([role, resolveParts]) => [role, resolveParts(choices)])),
  });
}

/** Returns what is taken from this member's side, by name. */
function taken<Value>(
  changes: readonly Changed<Value>[],
  choices: ReadonlyMap<string, Side>,
): Readonly<Record<string, Value>> {
  const isMine = (change: Changed<Value>) =>
    (change.outcome === "choose" ? choices.get(change.key) : change.outcome) === "mine";
  return Object.fromEntries(changes.filter(isMine).map(({ name, mine }) => [name, mine]));
}

/** Returns from which side a change is taken, or null if both sides agree. */
function outcomeOf<Value>(
  base: Value,
  mine: Value,
  theirs: Value,
  isSame: (one: Value, other: Value) => boolean,
): Outcome | null {
  if (isSame(mine, theirs)) return null;
  if (isSame(base, mine)) return "theirs";
  return isSame(base, theirs) ? "mine" : "choose";
}

function mergeValues({ model, changes }: Context, path: DraftPath, base: Draft, mine: Draft, theirs: Draft) {
  const found: (Change & { kind: "value" })[] = [];
  for (const attribute of model.of(base.className).attributes) {
    const { name } = attribute;
    if (!(name in mine.values)) continue;
    const [was, my, their] = [base.values[name], mine.values[name], theirs.values[name]];
    const outcome = outcomeOf(was, my, their, (one, other) => isSameValue(attribute, one, other));
    if (outcome)
      found.push({
        kind: "value",
        ...placed(path, base.className, name),
        outcome,
        base: was,
        mine: my,
        theirs: their,
      });
  }
  changes.push(...found);
  return found;
}

function mergeReferences({ changes }: Context, path: DraftPath, base: Draft, mine: Draft, theirs: Draft) {
  const found: (Change & { kind: "reference" })[] = [];
  for (const [name, my] of Object.entries(mine.references)) {
    const [was, their] = [base.references[name] ?? null, theirs.references[name] ?? null];
    const outcome = outcomeOf(was, my, their, (one, other) => one?.id === other?.id);
    if (outcome)
      found.push({
        kind: "reference",
        ...placed(path, base.className, name),
        outcome,
        base: was,
        mine: my,
        theirs: their,
      });
  }
  changes.push(...found);
  return found;
}

/** Links are added and removed one by one, so those of two members never collide. */
function mergeLinks({ changes }: Context, path: DraftPath, mine: Draft): void {
  for (const [name, links] of Object.entries(mine.links))
    if (links.added.length > 0 || links.removed.length > 0)
      changes.push({
        kind: "links",
        ...placed(path, mine.className, name),
        outcome: "mine",
        base: null,
        mine: links,
        theirs: null,
      });
}

function placed(path: DraftPath, className: string, name: string) {
  return { key: `${path}|${name}`, path, className, name };
}

type ResolveParts = (choices: ReadonlyMap<string, Side>) => PartsDraft;
type ResolvePart = (choices: ReadonlyMap<string, Side>) => readonly Draft[];

function mergeParts(
  context: Context,
  path: DraftPath,
  role: string,
  base: Draft,
  mine: Draft,
  theirs: Draft,
): ResolveParts {
  const unread = base.parts[role] ? undefined : theirs.parts[role];
  if (unread) return () => unread;
  const isToMany = (mine.parts[role] ?? theirs.parts[role])?.isToMany ?? true;
  const resolve = (isToMany ? mergePartsOfMany : mergeOnlyPart)(context, { path, role }, base, mine, theirs);
  return (choices) => ({ isToMany, drafts: resolve.flatMap((each) => each(choices)) });
}

function mergePartsOfMany(
  context: Context,
  at: Role,
  base: Draft,
  mine: Draft,
  theirs: Draft,
): ResolvePart[] {
  const byId = (draft: Draft) =>
    new Map(draft.parts[at.role]?.drafts.map((part) => [part.clientId, part] as const));
  const [bases, mines, theirParts] = [byId(base), byId(mine), byId(theirs)];
  const stored = [...new Set([...theirParts.keys(), ...bases.keys()])].map((id) => {
    const [was, my, their] = [bases.get(id), mines.get(id), theirParts.get(id)];
    if (was && my && their) return mergePart(context, at, was, my, their);
    return was && my ? mergeDeletedByThem(context, at, was, my) : mergeAddedByThem(context, at, their);
  });
  const added = mine.parts[at.role]?.drafts.filter(({ id, isDeleted }) => id === null && !isDeleted) ?? [];
  return [
    ...stored,
    ...added.map((my) => {
      addPart(context, at, my, "mine", { base: null, mine: my, theirs: null });
      return () => [my];
    }),
  ];
}

/** Merges a role that leads to one part. Parts with different ids are different things: one replaces the other. */
function mergeOnlyPart(context: Context, at: Role, base: Draft, mine: Draft, theirs: Draft): ResolvePart[] {
  const only = (draft: Draft) => draft.parts[at.role]?.drafts.find(({ isDeleted }) => !isDeleted) ?? null;
  const [was, my, their] = [only(base), only(mine), only(theirs)];
  if (was && my && their && my.id === their.id) return [mergePart(context, at, was, my, their)];
  const shown = my ?? their ?? was;
  const outcome = outcomeOf(was, my, their, isSamePart);
  if (!outcome || !shown) return their ? [() => [their]] : [];
  const side = addPart(context, at, shown, outcome, { base: was, mine: my, theirs: their });
  const replaced = their ? [{ ...their, isDeleted: true }] : [];
  const again = my ? [my.id === null ? my : asNew(context.model, my)] : [];
  return [(choices) => (side(choices) === "theirs" ? (their ? [their] : []) : [...replaced, ...again])];
}

function isSamePart(one: Draft | null, other: Draft | null): boolean {
  if (!one || !other) return one === other;
  return one.clientId === other.clientId && !isChanged(one, other);
}

interface Role {
  /** The object that has the parts. */
  readonly path: DraftPath;
  readonly role: string;
}

/** Adds a change of a whole part, and returns which side is taken. */
function addPart(
  { changes }: Context,
  { path, role }: Role,
  part: Draft,
  outcome: Outcome,
  sides: { readonly base: Draft | null; readonly mine: Draft | null; readonly theirs: Draft | null },
): (choices: ReadonlyMap<string, Side>) => Side {
  const key = partPath(path, role, part);
  changes.push({ kind: "part", key, path: key, className: part.className, name: role, outcome, ...sides });
  return (choices) => (outcome === "choose" ? (choices.get(key) ?? "theirs") : outcome);
}

function mergePart(context: Context, at: Role, base: Draft, mine: Draft, theirs: Draft): ResolvePart {
  if (!mine.isDeleted) {
    const resolve = mergeObject(context, partPath(at.path, at.role, theirs), base, mine, theirs);
    return (choices) => [resolve(choices)];
  }
  const outcome = isChanged(theirs, base) ? "choose" : "mine";
  const side = addPart(context, at, theirs, outcome, { base, mine: null, theirs });
  return (choices) => [side(choices) === "mine" ? { ...theirs, isDeleted: true } : theirs];
}

/** A part that the other member has deleted comes back as a new one if this member wants it. */
function mergeDeletedByThem(context: Context, at: Role, base: Draft, mine: Draft): ResolvePart {
  if (mine.isDeleted) return () => [];
  const outcome = isChanged(mine, base) ? "choose" : "theirs";
  const side = addPart(context, at, mine, outcome, { base, mine, theirs: null });
  const again = asNew(context.model, mine);
  return (choices) => (side(choices) === "mine" ? [again] : []);
}

function mergeAddedByThem(context: Context, at: Role, theirs: Draft | undefined): ResolvePart {
  if (!theirs) return () => [];
  addPart(context, at, theirs, "theirs", { base: null, mine: null, theirs });
  return () => [theirs];
}

/**
 * Returns a draft that creates the same object again, without the files that are stored with it.
 *
 * A file belongs to the object that it was uploaded for, so only one that waits for an object comes along.
 */
export function asNew(model: Model, draft: Draft): Draft {
  const { clientId: _, ...known } = draft;
  const parts = Object.entries(draft.parts).map(([role, { isToMany, drafts }]) => {
    const kept = drafts.filter(({ isDeleted }) => !isDeleted);
    return [role, { isToMany, drafts: kept.map((part) => asNew(model, part)) }] as const;
  });
  const values = { ...draft.values };
  for (const { name, type } of model.of(draft.className).attributes)
    if (type === "File" && values[name] && !isPending(values[name] as FileValue)) delete values[name];
  return emptyDraft(draft.className, {
    ...known,
    id: null,
    revision: null,
    stored: null,
    values,
    parts: Object.fromEntries(parts),
  });
}
