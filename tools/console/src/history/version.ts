// The versions of an object, as a time line shows them.

import type { Span } from "../documents/history";

export interface Version {
  readonly _label?: string | null;
  /** Null in former versions. */
  readonly _revision?: string | null;
  readonly _lastmodifiedby?: string | null;
  /** When it began, in ISO 8601. */
  readonly start: string;
  /** When it ended, or null if it is the current one. */
  readonly end: string | null;
}

/** One thing that has happened to an object. */
export type Entry =
  | {
      readonly kind: "VERSION";
      readonly version: Version;
      /** What the write that made it has changed, or null if it made the object. */
      readonly span: Span | null;
      /** Whether the object had been deleted before. */
      readonly isRestored: boolean;
    }
  | { readonly kind: "DELETED"; readonly at: string };

/** Returns the instant just before another one. Instants of the service have milliseconds. */
export function justBefore(instant: string): string {
  return new Date(Date.parse(instant) - 1).toISOString();
}

/**
 * Returns the instant at which a version is looked at, compared and restored: the last one before it ended.
 *
 * At that instant, its parts are as they were before the next change of the object.
 */
export function instantOf({ end }: Version): string | null {
  return end === null ? null : justBefore(end);
}

/**
 * Returns what has happened to an object, the latest first.
 *
 * `versions` are its versions, the latest first. If there are more, the oldest one isn't shown yet, because
 * nobody knows what was before it.
 */
export function entriesOf(versions: readonly Version[], hasMore: boolean): readonly Entry[] {
  const shown = hasMore ? versions.slice(0, -1) : versions;
  return shown.flatMap((version, index) => {
    const [next, former] = [versions[index - 1], versions[index + 1]];
    const { start, end } = version;
    const isDeleted = end !== null && (!next || !isSame(next.start, end));
    const isRestored = former !== undefined && (former.end === null || !isSame(former.end, start));
    const span = former && !isRestored ? { from: justBefore(start), to: start } : null;
    const entry: Entry = { kind: "VERSION", version, span, isRestored };
    return isDeleted ? [{ kind: "DELETED", at: end } as const, entry] : [entry];
  });
}

function isSame(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}

/** Returns entries in groups of which one request says what has changed. What was in one group stays there. */
export function groupsOf(entries: readonly Entry[], size: number): readonly (readonly Span[])[] {
  const spans = entries.flatMap((entry) => (entry.kind === "VERSION" && entry.span ? [entry.span] : []));
  const groups: Span[][] = [];
  // The first page of versions shows one entry less than the others.
  spans.forEach((span, index) => {
    const group = Math.floor((index + 1) / size);
    const found = groups[group] ?? [];
    found.push(span);
    groups[group] = found;
  });
  return groups.filter((group) => group.length > 0);
}
