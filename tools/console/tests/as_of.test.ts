import { afterEach, describe, expect, test } from "vitest";
import { asOfIn, restoreAsOf, setAsOf, withAsOf } from "../src/as_of/as_of";
import { instantOf, localOf } from "../src/as_of/instants";

const INSTANT = "2026-03-05T09:00:00.000Z";
const ENCODED = "asOf=2026-03-05T09%3A00%3A00.000Z";

afterEach(() => {
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

describe("a date and time in the member's zone", () => {
  test.each([
    ["2026-03-05T10:00", "Europe/Rome", "2026-03-05T09:00:00.000Z"],
    ["2026-07-05T10:00:30", "Europe/Rome", "2026-07-05T08:00:30.000Z"],
    // Clocks skip from 2:00 to 3:00.
    ["2026-03-29T02:30", "Europe/Rome", "2026-03-29T01:30:00.000Z"],
    // 2:30 occurs twice. The earlier one counts.
    ["2026-10-25T02:30", "Europe/Rome", "2026-10-25T00:30:00.000Z"],
    ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00.000Z"],
    ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"],
    ["2026-01-15T00:00", "Asia/Kolkata", "2026-01-14T18:30:00.000Z"],
    ["2026-01-15T00:00", "Asia/Kathmandu", "2026-01-14T18:15:00.000Z"],
    ["2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"],
    ["2026-01-15T00:00", "Pacific/Kiritimati", "2026-01-14T10:00:00.000Z"],
    ["2026-01-15T00:00", "Pacific/Chatham", "2026-01-14T10:15:00.000Z"],
    ["2026-09-06T00:30", "America/Santiago", "2026-09-06T04:30:00.000Z"],
    ["2026-01-15T00:00", "UTC", "2026-01-15T00:00:00.000Z"],
  ])("%s in %s is %s", (local, zone, instant) => {
    expect(instantOf(local, zone)).toBe(instant);
  });

  test.each(["", "2026-02-30T10:00", "05/03/2026"])("%j is none", (local) => {
    expect(instantOf(local, "UTC")).toBeNull();
  });

  test("is what the instant is shown as", () => {
    expect(localOf("2026-07-05T08:00:30.000Z", "Europe/Rome")).toBe("2026-07-05T10:00:30");
  });
});
