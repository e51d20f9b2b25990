import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadPage } from "../src/app/lazy_page";
import { connection } from "../src/service/connection";

beforeEach(() => {
  vi.useFakeTimers();
  const root = document.createElement("div");
  root.id = "root";
  root.dataset["service"] = JSON.stringify({ addresses: { health: "../public/health" } });
  document.body.replaceChildren(root);
});

afterEach(() => {
  connection.note(new Response());
  sessionStorage.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("the console is loaded again when the service answers", async () => {
  let isReachable = false;
  vi.stubGlobal("fetch", async () => {
    if (!isReachable) throw new TypeError("offline");
    return new Response();
  });
  const reload = vi.fn();
  void loadPage(() => Promise.reject(new TypeError("can't be fetched")), reload);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(connection.problem()).toBe("OFFLINE");
  expect(reload).not.toHaveBeenCalled();
  isReachable = true;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(reload).toHaveBeenCalledOnce();
  expect(connection.problem()).toBeNull();
});

test("a part that is still missing then is an error", async () => {
  vi.stubGlobal("fetch", async () => new Response());
  const reload = vi.fn();
  const load = () => Promise.reject(new TypeError("404"));
  void loadPage(load, reload);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reload).toHaveBeenCalledOnce();
  await expect(loadPage(load, reload)).rejects.toThrow("Load the page again later.");
  expect(reload).toHaveBeenCalledOnce();
});

test("a busy service is asked less and less often", async () => {
  const asked = vi.fn(async () => new Response(null, { status: 503 }));
  vi.stubGlobal("fetch", asked);
  connection.note(new Response(null, { status: 503 }));
  expect(connection.problem()).toBe("UNAVAILABLE");
  await vi.advanceTimersByTimeAsync(2_000 + 4_000 + 8_000 + 16_000);
  expect(asked).toHaveBeenCalledTimes(4);
});
