import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ADDRESSES, Channel, closeTabs, openTab, Service } from "./tabs";

let service: Service;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("BroadcastChannel", Channel);
  service = new Service();
});

afterEach(() => {
  closeTabs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function signedIn(username = "admin") {
  const tab = await openTab(service);
  await tab.signIn(username, "secret");
  return tab;
}

test("a tab without a session has nobody", async () => {
  const tab = await openTab(service);
  expect(tab.state()).toMatchObject({ status: "OUT", username: null });
  await expect(tab.authorization()).rejects.toThrow("signed out");
});

test("a refused sign-in leaves nobody signed in", async () => {
  const tab = await openTab(service);
  service.refuse(ADDRESSES.token, 401);
  await expect(tab.signIn("admin", "wrong")).rejects.toThrow("refused with 401");
  expect(tab.state().status).toBe("OUT");
});

test("the token is renewed before it ends", async () => {
  const tab = await signedIn();
  const first = await tab.authorization();
  await vi.advanceTimersByTimeAsync(1_800_000 - 59_000);
  const second = await tab.authorization();
  expect(second).not.toBe(first);
  expect(tab.state()).toMatchObject({ status: "IN", username: "admin" });
});

test("a renewal without an answer is tried again, and the token is used until then", async () => {
  const tab = await signedIn();
  const first = await tab.authorization();
  service.refusals.set(ADDRESSES.refresh, () => Promise.reject(new Error("offline")));
  await vi.advanceTimersByTimeAsync(1_800_000 - 50_000);
  expect(await tab.authorization()).toBe(first);
  service.refusals.clear();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await tab.authorization()).not.toBe(first);
});

test("a renewal that is refused ends the session, and requests wait for the next sign-in", async () => {
  const tab = await signedIn();
  service.refuse(ADDRESSES.refresh, 401);
  await vi.advanceTimersByTimeAsync(1_800_000 - 59_000);
  expect(tab.state()).toMatchObject({ status: "ENDED", username: "admin" });
  const waiting = tab.authorization();
  service.refusals.clear();
  await tab.signIn("admin", "secret");
  expect(await waiting).toBe(await tab.authorization());
});

test("only the present token can be rejected", async () => {
  const tab = await signedIn();
  const old = await tab.authorization();
  await vi.advanceTimersByTimeAsync(1_800_000 - 59_000);
  tab.reject(old);
  expect(tab.state().status).toBe("IN");
  tab.reject(await tab.authorization());
  expect(tab.state().status).toBe("ENDED");
});

test("requests that wait fail if the member gives up", async () => {
  const tab = await signedIn();
  tab.reject(await tab.authorization());
  const waiting = expect(tab.authorization()).rejects.toThrow("signed out");
  tab.giveUp();
  await waiting;
  expect(tab.state().status).toBe("OUT");
});

test("another member begins anew after a warning, and nothing of the first one is sent", async () => {
  const tab = await signedIn();
  tab.reject(await tab.authorization());
  const waiting = expect(tab.authorization()).rejects.toThrow("signed out");
  await tab.signIn("rosa", "secret");
  expect(tab.state()).toMatchObject({ status: "ENDED", username: "admin", other: "rosa" });
  tab.acceptOther();
  await waiting;
  expect(tab.state()).toMatchObject({ status: "IN", username: "rosa", other: null });
});

test("the session of another member ends if the first one goes on", async () => {
  const tab = await signedIn();
  tab.reject(await tab.authorization());
  await tab.signIn("rosa", "secret");
  await tab.refuseOther();
  expect(service.sent.at(-1)).toBe(`DELETE ${ADDRESSES.members}/id-rosa/sessions/session-2`);
  expect(tab.state()).toMatchObject({ status: "ENDED", username: "admin", other: null });
});

test("a request that needs a new sign-in goes on after it", async () => {
  const tab = await signedIn();
  await vi.advanceTimersByTimeAsync(700_000);
  const renewed = tab.renewSignIn(await tab.authorization());
  expect(tab.state()).toMatchObject({ status: "IN", isStale: true });
  await tab.signIn("admin", "secret");
  expect(await renewed).toBe(true);
  expect(tab.state()).toMatchObject({ status: "IN", isStale: false });
});

test("a request that needs a new sign-in fails if the member doesn't want to", async () => {
  const tab = await signedIn();
  const renewed = tab.renewSignIn(await tab.authorization());
  tab.keepStale();
  expect(await renewed).toBe(false);
  expect(tab.state().status).toBe("IN");
});

test("a provider that has not asked the member again is no new sign-in", async () => {
  const tab = await signedIn();
  const renewed = tab.renewSignIn(await tab.authorization());
  expect(await tab.exchange("code", "verifier")).toBe(false); // in the same second
  expect(tab.state().isStale).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await tab.exchange("code", "verifier")).toBe(true);
  expect(await renewed).toBe(true);
});

test("a new tab takes the session of the open ones", async () => {
  await signedIn();
  const second = await openTab(service);
  expect(second.state()).toMatchObject({ status: "IN", username: "admin" });
});

test("a new tab asks who it is if the open ones differ", async () => {
  await signedIn("admin");
  const rosa = await openTab(service);
  rosa.giveUp();
  await rosa.signIn("rosa", "secret");
  const third = await openTab(service);
  expect(third.state().status).toBe("OUT");
});

test("tabs of another service don't answer", async () => {
  await signedIn();
  const stranger = new Service();
  const addresses = { ...ADDRESSES, token: "https://api.example.com/other/public/token/getJwtToken" };
  stranger.port.addresses = () => addresses;
  expect((await openTab(stranger)).state().status).toBe("OUT");
});

test("signing out ends the session in the other tabs", async () => {
  const first = await signedIn();
  const second = await openTab(service);
  await first.signOut();
  expect(service.sent.at(-1)).toBe(`DELETE ${ADDRESSES.members}/id-admin/sessions/session-1`);
  expect(second.state()).toMatchObject({ status: "OUT", isOutElsewhere: true });
  expect(sessionStorage.length).toBe(0);
});

test("signing in again in one tab lets the others of the same member go on", async () => {
  const first = await signedIn();
  const second = await openTab(service);
  for (const tab of [first, second]) tab.reject(await tab.authorization());
  const waiting = second.authorization();
  await first.signIn("admin", "secret");
  expect(await waiting).toBe(await first.authorization());
});

test("signing in as another member leaves the other tabs alone", async () => {
  const first = await signedIn();
  const second = await openTab(service);
  await first.signOut();
  await first.signIn("rosa", "secret");
  expect(second.state().username).toBeNull();
});

test("a tab finds its session again when it is loaded anew", async () => {
  const tab = await signedIn();
  const kept = sessionStorage.getItem("stratabase.session") ?? "";
  tab.close();
  const again = await openTab(service);
  expect(again.state().status).toBe("OUT");
  sessionStorage.setItem("stratabase.session", kept);
  await again.start();
  expect(again.state()).toMatchObject({ status: "IN", username: "admin" });
});

test("a tab takes what GraphiQL and the API reference have kept, unless it is of another service", async () => {
  const { token, ends, username } = await signedIn().then(() => kept());
  closeTabs();
  const tab = await openTab(service);
  sessionStorage.setItem("stratabase.session", JSON.stringify({ token, ends, username }));
  await tab.start();
  expect(tab.state()).toMatchObject({ status: "IN", username: "admin", member: "id-admin" });
  tab.giveUp();
  sessionStorage.setItem("stratabase.session", JSON.stringify({ token, ends, service: "https://other" }));
  const started = tab.start();
  await vi.advanceTimersByTimeAsync(500);
  await started;
  expect(tab.state().status).toBe("OUT");
});

function kept(): { token: string; ends: number; username: string } {
  return JSON.parse(sessionStorage.getItem("stratabase.session") ?? "");
}
