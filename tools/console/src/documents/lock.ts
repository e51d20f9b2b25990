// The documents that read, take and release the lock of an object.

import type { ModelClass } from "../description/model";

/** What a document selects of an object to show its lock. */
export const LOCK_FIELD = '_lock { lockedBy lockedUntil until: lockedUntil(format: "iso") mine }';

export const LOCK_DOCUMENT =
  "mutation($locks: [EntityID!], $minutes: Int) { lock(locks: $locks, minutes: $minutes) { locked } }";

/** Releases a lock. An administrator may release that of another member. */
export const UNLOCK_DOCUMENT = "mutation($locks: [EntityID!]) { unlock(locks: $locks) { locked } }";

/** Returns the document that reads the lock of an object, in `object`. */
export function lockDocument(class_: ModelClass): string {
  if (class_.kind === "SINGLETON") return `{ object: ${class_.name}___get { ${LOCK_FIELD} } }`;
  return `query($id: ID!) { object: ${class_.name}___get(_id: $id) { ${LOCK_FIELD} } }`;
}
