// What the state of a conflict doesn't have, but the form does: parts after the first page, and those of parts.

import type { StoredObject } from "../../description/stored_object";
import type { Draft, PartsDraft } from "../draft";

/**
 * Returns the draft of a stored object, with the parts that it was read without as the form has read them.
 *
 * So parts that weren't read aren't taken for deleted. If one was changed meanwhile, its own revision says so
 * when it is saved.
 */
export function withUnread(base: Draft, theirs: Draft, stored: StoredObject): Draft {
  const parts: Record<string, PartsDraft> = { ...theirs.parts };
  for (const [role, known] of Object.entries(base.parts)) {
    const read = theirs.parts[role];
    parts[role] = read ? completed(known, read, stored[role]) : known;
  }
  return { ...theirs, parts };
}

function completed(known: PartsDraft, read: PartsDraft, found: unknown): PartsDraft {
  const { items, hasNext } = pageOf(found);
  const drafts = read.drafts.map((draft) => {
    const before = known.drafts.find(({ id }) => id === draft.id);
    const stored = items.find(({ _id }) => _id === draft.id);
    return before && stored ? withUnread(before, draft, stored) : draft;
  });
  const ids = new Set(drafts.map(({ id }) => id));
  const unread = hasNext ? known.drafts.filter(({ id }) => id !== null && !ids.has(id)) : [];
  return { ...read, drafts: [...drafts, ...unread] };
}

interface StoredPage {
  readonly items: readonly StoredObject[];
  readonly hasNext: boolean;
}

function pageOf(found: unknown): StoredPage {
  if (!found || typeof found !== "object") return { items: [], hasNext: false };
  if ("items" in found) return found as StoredPage;
  return { items: [found as StoredObject], hasNext: false };
}
