// The locks that pages of this tab have taken. They end with the page that has taken them.

import { releaseLock, releaseLockAtEnd } from "./lock_requests";

interface TakenLock {
  readonly class_: string;
  readonly id: string;
  readonly minutes: number;
  /** When it was taken, in milliseconds of this machine's clock. */
  readonly at: number;
}

const taken = new Map<string, TakenLock>();

function keyOf(class_: string, id: string): string {
  return `${class_}/${id}`;
}

export const takenLocks = {
  add(class_: string, id: string, minutes: number): void {
    taken.set(keyOf(class_, id), { class_, id, minutes, at: Date.now() });
  },
  find(class_: string, id: string): TakenLock | undefined {
    return taken.get(keyOf(class_, id));
  },
  /** Forgets a lock, and returns whether a page had taken it. */
  forget(class_: string, id: string): boolean {
    return taken.delete(keyOf(class_, id));
  },
};

/** Releases the lock of an object if this tab has taken it. A lock that can't be released ends by itself. */
export async function releaseTaken(class_: string, id: string): Promise<void> {
  if (takenLocks.forget(class_, id)) await releaseLock(class_, id).catch(() => {});
}

window.addEventListener("pagehide", () => {
  for (const { class_, id } of taken.values()) releaseLockAtEnd(class_, id);
  taken.clear();
});
