import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ModelClass } from "../src/description/model";
import type { Lock } from "../src/object/lock/lock_requests";
import { type HeldLock, releaseOwnLock, useLock } from "../src/object/lock/use_lock";
import { type Issue, ServiceError } from "../src/service/errors";
import { ask } from "../src/service/graphql";

vi.mock("../src/service/graphql");

const MINUTE = 60_000;
const class_ = {
  name: "Employee",
  kind: "ORDINARY",
  edit: "always",
  services: ["Employee___get"],
} as unknown as ModelClass;

/** A service with one object, whose lock tests change. */
const service = { holder: null as string | null, ends: 0, most: 1440, taken: 0, released: 0 };

function lockNow(): Lock | null {
  if (!service.holder || service.ends <= Date.now()) return null;
  const until = new Date(service.ends).toISOString();
  return { lockedBy: service.holder, lockedUntil: until, until, mine: service.holder === "rosa" };
}

function answer(document: string, variables: Readonly<Record<string, unknown>> = {}): object {
  if (document.includes("unlock")) {
    service.released += 1;
    service.holder = null;
    return { unlock: { locked: false } };
  }
  if (!document.startsWith("mutation")) return { object: { _lock: lockNow() } };
  const minutes = variables["minutes"] as number;
  if (minutes > service.most) throw refusal("MALFORMED_REQUEST");
  if (lockNow()?.mine === false) throw refusal("ENTITY_LOCK_EDIT");
  service.taken += 1;
  service.holder = "rosa";
  service.ends = Date.now() + minutes * MINUTE;
  return { lock: { locked: true } };
}

function refusal(issueType: string): ServiceError {
  return new ServiceError("REFUSED", issueType, [{ issueType } as Issue]);
}

const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });

function open() {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(() => useLock(class_, "e1", { isEnabled: true }), { wrapper });
}

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

async function take(result: { readonly current: HeldLock }): Promise<void> {
  await pass(0);
  await act(() => result.current.take());
  await pass(0);
}
const type = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(service, { holder: null, ends: 0, most: 1440, taken: 0, released: 0 });
  vi.mocked(ask).mockImplementation(async (document, variables) => ({
    data: answer(document, variables) as never,
    issues: [],
    insight: null,
  }));
});

afterEach(async () => {
  cleanup();
  await vi.runOnlyPendingTimersAsync();
  client.clear();
  vi.useRealTimers();
});

test("a lock is taken, and released when the member leaves", async () => {
  const { result, unmount } = open();
  await pass(0);
  await take(result);
  expect(result.current).toMatchObject({ isTaken: true, isLost: false, lock: { mine: true } });
  unmount();
  await pass(0);
  expect(service).toMatchObject({ holder: null, released: 1 });
});

test("a lock is kept while the member does something", async () => {
  const { result } = open();
  await take(result);
  for (let minute = 0; minute < 30; minute++) {
    type();
    await pass(MINUTE);
  }
  expect(result.current.isTaken).toBe(true);
  expect(service.taken).toBeLessThan(8);
});

test("a lock ends when the member does nothing, and the page says so", async () => {
  const { result } = open();
  await take(result);
  await pass(11 * MINUTE);
  expect(result.current).toMatchObject({ isTaken: false, isLost: true, lock: null });
  act(() => result.current.acknowledge());
  expect(result.current.isLost).toBe(false);
  expect(service.taken).toBe(1);
});

test("a lock that an administrator has ended is lost", async () => {
  const { result } = open();
  await take(result);
  service.holder = "luca";
  type();
  await pass(MINUTE);
  expect(result.current).toMatchObject({ isTaken: false, isLost: true, lock: { lockedBy: "luca" } });
});

test("where locks are short, the shortest is taken", async () => {
  service.most = 5;
  const { result } = open();
  await take(result);
  expect(service.ends - Date.now()).toBe(MINUTE);
  type();
  await pass(0.9 * MINUTE);
  expect(service.taken).toBe(2);
});

test("a lock that another member has can't be taken, and is known then", async () => {
  const { result } = open();
  await pass(0);
  Object.assign(service, { holder: "luca", ends: Date.now() + 5 * MINUTE });
  await act(() => expect(result.current.take()).rejects.toThrow("ENTITY_LOCK_EDIT"));
  expect(result.current).toMatchObject({ isTaken: false, isLost: false, lock: { lockedBy: "luca" } });
  expect(result.current.isBusy).toBe(false);
});

test("a member who waits is told when the lock ends", async () => {
  Object.assign(service, { holder: "luca", ends: Date.now() + 60 * MINUTE });
  const { result } = open();
  await pass(0);
  act(() => result.current.setAwaited(true));
  await pass(MINUTE);
  expect(result.current.isFree).toBe(false);
  service.holder = null;
  await pass(11_000);
  expect(result.current).toMatchObject({ isFree: true, isAwaited: false, lock: null });
});

test("a lock that can't be released is still known to be this page's", async () => {
  const { result } = open();
  await take(result);
  vi.mocked(ask).mockRejectedValueOnce(new ServiceError("OFFLINE", "No connection"));
  await act(() => expect(result.current.release()).rejects.toThrow("No connection"));
  expect(result.current).toMatchObject({ isTaken: true, isLost: false });
});

test("saving releases the lock of the page, and no other", async () => {
  const { result } = open();
  await take(result);
  await act(() => releaseOwnLock(client, "Employee", "e1"));
  await pass(0);
  expect(result.current).toMatchObject({ lock: null, isLost: false });
  await act(() => releaseOwnLock(client, "Employee", "e1"));
  expect(service.released).toBe(1);
});
