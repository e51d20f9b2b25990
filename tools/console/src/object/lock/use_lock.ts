// The lock of an object while its page is open: who has it, and this member's own, which is kept alive.

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { ModelClass } from "../../description/model";
import { isLockable, type Lock, readLock, releaseLock, takeLock } from "./lock_requests";
import { releaseTaken, takenLocks } from "./taken_locks";

/** Milliseconds between two looks at a lock: of this member, of another who is waited for, of any other. */
const OWN = 20_000;
const AWAITED = 10_000;
const OTHERS = 60_000;
/** Milliseconds between two looks at a lock that is about to end. */
const LEAST = 2000;

/** What counts as editing. */

const ACTIVITY = ["keydown", "pointerdown", "input"] as const;

export function lockKey(class_: string, id: string): readonly string[] {
  return ["lock", class_, id];
}

export interface HeldLock {
  /** Null if nobody has it, or nobody knows yet. */
  readonly lock: Lock | null;
  /** Whether this page has taken the lock, and still has it. */
  readonly isTaken: boolean;
  /** Whether this page had taken the lock and has lost it, until `acknowledge` is called. */
  readonly isLost: boolean;
  /** Whether the member waits for another one's lock to end. */
  readonly isAwaited: boolean;
  /** Whether the lock is being taken or released. */
  readonly isBusy: boolean;
  /** Whether a lock that was waited for has ended. */
  readonly isFree: boolean;
  readonly take: () => Promise<void>;
  /** Releases the lock of this page, or ends that of another member. */
  readonly release: () => Promise<void>;
  readonly setAwaited: (isAwaited: boolean) => void;
  readonly acknowledge: () => void;
}

interface Options {
  /** The lock as the object's document has read it, if it has. */
  readonly initial?: Lock | null | undefined;
  /** False in the past, and for members who may not edit the object. */
  readonly isEnabled: boolean;
}

export function useLock(class_: ModelClass, id: string, { initial, isEnabled }: Options): HeldLock {
  const client = useQueryClient();
  const [isLost, setLost] = useState(false);
  const [isAwaited, setAwaited] = useState(false);
  const [isFree, setFree] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const query = useQuery({
    queryKey: lockKey(class_.name, id),
    queryFn: ({ signal }) => readLock(class_, id, signal),
    enabled: isEnabled && isLockable(class_),
    ...(initial === undefined ? {} : { initialData: initial }),
    refetchInterval: ({ state }) => pause(state.data ?? null, isAwaited),
    refetchIntervalInBackground: true,
    retry: false,
  });
  const lock = query.data ?? null;
  const isTaken = lock?.mine === true && takenLocks.find(class_.name, id) !== undefined;
  const readAgain = useCallback(
    () => client.refetchQueries({ queryKey: lockKey(class_.name, id) }),
    [client, class_.name, id],
  );

  useEffect(() => {
    if (!lock?.mine && takenLocks.forget(class_.name, id)) setLost(true);
    if (!lock && isAwaited) {
      setAwaited(false);
      setFree(true);
      // The other member has probably saved something.
      void client.invalidateQueries({ queryKey: ["object", class_.name, id] });
    }
  }, [lock, isAwaited, client, class_.name, id]);

  const take = useCallback(async () => {
    setBusy(true);
    try {
      takenLocks.add(class_.name, id, await takeLock(class_, id));
      setLost(false);
      setFree(false);
    } finally {
      // If another member has it, the page says who.
      await readAgain();
      setBusy(false);
    }
  }, [class_, id, readAgain]);

  const release = useCallback(async () => {
    const own = takenLocks.find(class_.name, id);
    setBusy(true);
    try {
      takenLocks.forget(class_.name, id);
      await releaseLock(class_.name, id);
    } catch (error) {
      if (own) takenLocks.add(class_.name, id, own.minutes);
      throw error;
    } finally {
      await readAgain();
      setBusy(false);
    }
  }, [class_.name, id, readAgain]);

  useKeptAlive(class_, id, isTaken, readAgain);
  // The member leaves the page.
  useEffect(() => () => void releaseTaken(class_.name, id), [class_.name, id]);

  const acknowledge = useCallback(() => {
    setLost(false);
    setFree(false);
  }, []);
  return { lock, isTaken, isLost, isAwaited, isBusy, isFree, take, release, setAwaited, acknowledge };
}

/** Releases the lock that the page of an object has taken, such as after the object is saved. */
export async function releaseOwnLock(client: QueryClient, class_: string, id: string): Promise<void> {
  await releaseTaken(class_, id);
  await client.invalidateQueries({ queryKey: lockKey(class_, id) });
}

/** Returns the milliseconds until the lock is read again, or false if that isn't needed. */
function pause(lock: Lock | null, isAwaited: boolean): number | false {
  if (!lock) return false;
  if (lock.mine) return OWN;
  const left = Date.parse(lock.until) - Date.now();
  return Math.min(isAwaited ? AWAITED : OTHERS, Math.max(LEAST, left));
}

/** Takes the lock again in half of its time, if the member has done something on the page meanwhile. */
function useKeptAlive(
  class_: ModelClass,
  id: string,
  isTaken: boolean,
  readAgain: () => Promise<void>,
): void {
  useEffect(() => {
    if (!isTaken) return;
    let isActive = false;
    const note = () => {
      isActive = true;
    };
    const renew = async () => {
      const own = takenLocks.find(class_.name, id);
      if (!isActive || !own || Date.now() < own.at + own.minutes * 30_000) return;
      isActive = false;
      try {
        takenLocks.add(class_.name, id, await takeLock(class_, id));
      } finally {
        await readAgain();
      }
    };
    for (const event of ACTIVITY) document.addEventListener(event, note, { capture: true, passive: true });
    // A lock that can't be taken again is lost when it ends, and the page says so then.
    const timer = setInterval(() => renew().catch(() => {}), OWN);
    return () => {
      clearInterval(timer);
      for (const event of ACTIVITY) document.removeEventListener(event, note, { capture: true });
    };
  }, [class_, id, isTaken, readAgain]);
}
