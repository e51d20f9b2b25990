// Drafts of new objects in this tab's sessionStorage, so that they survive a reload.

import { session } from "../session/session";
import type { Draft } from "./draft";

const PREFIX = "stratabase.draft.";

/** Returns what names a draft: the member's, and of a class. */
function keyOf(member: string, className: string): string {
  return `${PREFIX}${member}.${className}`;
}

export function keepDraft(member: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(member, draft.className), JSON.stringify(draft));
  } catch {
    // The browser keeps no more. The draft is still on the page.
  }
}

/** Returns the draft that the member has left behind, or null. */
export function keptDraft(member: string, className: string): Draft | null {
  const found = sessionStorage.getItem(keyOf(member, className));
  try {
    return found ? (JSON.parse(found) as Draft) : null;
  } catch {
    return null;
  }
}

export function forgetDraft(member: string, className: string): void {
  sessionStorage.removeItem(keyOf(member, className));
}

/** Forgets the drafts of all members, when one signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

session.subscribe(() => {
  if (session.state().status === "OUT") forgetDrafts();
});
