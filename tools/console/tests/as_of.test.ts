import { afterEach, describe, expect, test, vi } from "vitest";
import { asOfIn, restoreAsOf, setAsOf, withAsOf } from "../src/as_of/as_of";
import { instantOfMoment } from "../src/as_of/moments";

const INSTANT = "2026-03-05T09:00:00.000Z";
const ENCODED = "asOf=2026-03-05T09%3A00%3A00.000Z";

afterEach(() => {
  vi.useRealTimers();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});

test.each([
  [`?${ENCODED}`, INSTANT],
  ["?asOf=2026-03-05T10:00:00%2B01:00", "2026-03-05T10:00:00+01:00"],
  ["?asOf=yesterday", null],
  ["?asOf=2026-13-05T09:00:00Z", null],
  ["?asOf=2026-03-05", null],
  ["?asOf=", null],
  ["", null],
])("the query %j shows the data as of %j", (query, instant) => {
  expect(asOfIn(query)).toBe(instant);
});

test.each([
  ["/data/Employee", `/data/Employee?${ENCODED}`],
  ["/data/Employee?sort=name", `/data/Employee?sort=name&${ENCODED}`],
  ["/data/Employee?a=1#b", `/data/Employee?a=1&${ENCODED}#b`],
  ["/data/Employee#b", `/data/Employee?${ENCODED}#b`],
  ["/data/Employee?asOf=other", "/data/Employee?asOf=other"],
])("a link to %s keeps the instant", (to, kept) => {
  expect(withAsOf(to, `?${ENCODED}`)).toBe(kept);
  expect(withAsOf(to, "")).toBe(to);
});

test("choosing an instant keeps the rest of the address", () => {
  history.replaceState(null, "", "/data/Employee?sort=name");
  setAsOf(INSTANT);
  expect(location.pathname + location.search).toBe(`/data/Employee?sort=name&${ENCODED}`);
  setAsOf(null);
  expect(location.pathname + location.search).toBe("/data/Employee?sort=name");
});

describe("a page that is loaded", () => {
  test("goes back to the instant of its tab", () => {
    setAsOf(INSTANT);
    history.replaceState(null, "", "/data/Team");
    restoreAsOf();
    expect(location.search).toBe(`?${ENCODED}`);
  });

  test("prefers the instant of its address", () => {
    setAsOf(INSTANT);
    history.replaceState(null, "", "/data/Team?asOf=2025-01-01T00:00:00Z");
    restoreAsOf();
    expect(asOfIn(location.search)).toBe("2025-01-01T00:00:00Z");
  });

  test("shows the present after the member went back to it", () => {
    setAsOf(INSTANT);
    setAsOf(null);
    restoreAsOf();
    expect(location.search).toBe("");
  });
});

describe("moments are those of the member's zone", () => {
  // In Rome, it is already the first of January.
  const NOW = new Date("2025-12-31T23:30:20Z");

  test.each([
    ["hourAgo", "Europe/Rome", "2025-12-31T22:30:00.000Z"],
    ["weekAgo", "Europe/Rome", "2025-12-24T23:30:00.000Z"],
    ["dayStart", "Europe/Rome", "2025-12-31T23:00:00.000Z"],
    ["monthStart", "Europe/Rome", "2025-12-31T23:00:00.000Z"],
    ["yearStart", "Europe/Rome", "2025-12-31T23:00:00.000Z"],
    ["dayStart", "America/New_York", "2025-12-31T05:00:00.000Z"],
    ["monthStart", "America/New_York", "2025-12-01T05:00:00.000Z"],
    ["yearStart", "America/New_York", "2025-01-01T05:00:00.000Z"],
  ] as const)("%s in %s is %s", (moment, zone, instant) => {
    vi.useFakeTimers({ now: NOW });
    expect(instantOfMoment(moment, zone)).toBe(instant);
  });
});
