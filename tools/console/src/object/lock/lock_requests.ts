// Reads, takes and releases the lock of an object: see docs/locks.md.

import { type ModelClass, offers } from "../../description/model";
import { LOCK_DOCUMENT, lockDocument, UNLOCK_DOCUMENT } from "../../documents/lock";
import { asServiceError } from "../../service/errors";
import { ask } from "../../service/graphql";
import { send } from "../../service/request";
import { serviceSettings } from "../../service/settings";

export interface Lock {
  /** The username of the member who has it. */
  readonly lockedBy: string;
  /** When it ends, in the member's formats. */
  readonly lockedUntil: string;
  /** When it ends, in ISO 8601. */
  readonly until: string;
  readonly mine: boolean;
}

/** Minutes that a lock is taken for. If the service's setting allows less, the least that it can be. */
const MINUTES = 10;
const LEAST = 1;

/** Returns the lock of an object, or null if nobody has it. */
export async function readLock(class_: ModelClass, id: string, signal?: AbortSignal): Promise<Lock | null> {
  const variables = class_.kind === "SINGLETON" ? {} : { id };
  const { data } = await ask<{ object: { _lock: Lock | null } | null }>(
    lockDocument(class_),
    variables,
    signal,
  );
  return data.object?._lock ?? null;
}

/**
 * Takes the lock of an object, or sets a new end of it. Returns for how many minutes.
 *
 * Throws a ServiceError if another member has it.
 */
export async function takeLock(class_: ModelClass, id: string): Promise<number> {
  const locks = [{ entityName: class_.name, _id: id }];
  try {
    await ask(LOCK_DOCUMENT, { locks, minutes: MINUTES });
    return MINUTES;
  } catch (error) {
    const isTooLong = asServiceError(error).issues[0]?.issueType === "MALFORMED_REQUEST";
    if (!isTooLong) throw error;
    await ask(LOCK_DOCUMENT, { locks, minutes: LEAST });
    return LEAST;
  }
}

/** Releases the lock of an object. Administrators release the locks of others, too. */
export async function releaseLock(class_: string, id: string): Promise<void> {
  await ask(UNLOCK_DOCUMENT, { locks: [{ entityName: class_, _id: id }] });
}

/** Releases the lock of an object while the page is being closed. */
export function releaseLockAtEnd(class_: string, id: string): void {
  const variables = { locks: [{ entityName: class_, _id: id }] };
  send(serviceSettings().addresses.graphql, {
    method: "POST",
    keepalive: true,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ query: UNLOCK_DOCUMENT, variables }),
  }).catch(() => {
    // Nobody is here to read it. The lock ends by itself.
  });
}

/** Whether the console can show the lock of objects of a class, and take it. */
export function isLockable(class_: ModelClass): boolean {
  return offers(class_, "get") && class_.edit !== "never";
}
