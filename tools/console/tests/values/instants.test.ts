import { CalendarDateTime, parseDateTime } from "@internationalized/date";
import { describe, expect, test } from "vitest";
import { instantOf, localOf, occurrencesOf, offsetText } from "../../src/values/instants";

interface Change {
  readonly zone: string;
  /** A time that is skipped, and the instant that it becomes. */
  readonly skipped: readonly [string, string];
  /** A time that occurs twice, and its two instants. */
  readonly twice: readonly [string, string, string];
}

// From the tz database. Tehran gave up daylight saving time in 2022; Apia skipped a whole day in 2011.
const CHANGES: readonly Change[] = [
  {
    zone: "Europe/Rome",
    skipped: ["2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
    twice: ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"],
  },
  {
    zone: "Europe/London",
    skipped: ["2026-03-29T01:15", "2026-03-29T01:15:00.000Z"],
    twice: ["2026-10-25T01:15", "2026-10-25T00:15:00.000Z", "2026-10-25T01:15:00.000Z"],
  },
  {
    zone: "America/New_York",
    skipped: ["2026-03-08T02:30", "2026-03-08T07:30:00.000Z"],
    twice: ["2026-11-01T01:30", "2026-11-01T05:30:00.000Z", "2026-11-01T06:30:00.000Z"],
  },
  {
    zone: "America/St_Johns",
    skipped: ["2026-03-08T02:30", "2026-03-08T06:00:00.000Z"],
    twice: ["2026-11-01T01:30", "2026-11-01T04:00:00.000Z", "2026-11-01T05:00:00.000Z"],
  },
  {
    zone: "Australia/Lord_Howe",
    skipped: ["2026-10-04T02:15", "2026-10-03T15:45:00.000Z"],
    twice: ["2026-04-05T01:45", "2026-04-04T14:45:00.000Z", "2026-04-04T15:15:00.000Z"],
  },
  {
    zone: "Africa/Casablanca",
    skipped: ["2026-03-22T02:30", "2026-03-22T02:30:00.000Z"],
    twice: ["2026-02-15T02:30", "2026-02-15T01:30:00.000Z", "2026-02-15T02:30:00.000Z"],
  },
  {
    zone: "America/Santiago",
    skipped: ["2026-09-06T00:30", "2026-09-06T04:30:00.000Z"],
    twice: ["2026-04-04T23:30", "2026-04-05T02:30:00.000Z", "2026-04-05T03:30:00.000Z"],
  },
  {
    zone: "Asia/Tehran",
    skipped: ["2022-03-22T00:30", "2022-03-21T21:00:00.000Z"],
    twice: ["2021-09-21T23:30", "2021-09-21T19:00:00.000Z", "2021-09-21T20:00:00.000Z"],
  },
  {
    zone: "Asia/Kathmandu",
    // Clocks went from UTC+5:30 to UTC+5:45 at midnight, and have never been put back.
    skipped: ["1986-01-01T00:10", "1985-12-31T18:40:00.000Z"],
    twice: ["", "", ""],
  },
  {
    zone: "Pacific/Apia",
    skipped: ["2011-12-30T12:00", "2011-12-30T22:00:00.000Z"],
    twice: ["2012-04-01T03:30", "2012-03-31T13:30:00.000Z", "2012-03-31T14:30:00.000Z"],
  },
];
const HOUR = 3_600_000;

describe.each(CHANGES)("$zone", ({ zone, skipped, twice }) => {
  test("a time that clocks skip becomes a later one", () => {
    const [local, instant] = skipped;
    expect(occurrencesOf(parseDateTime(local), zone)).toEqual([]);
    expect(instantOf(parseDateTime(local), zone)).toBe(instant);
    expect(instantOf(parseDateTime(local), zone, "later")).toBe(instant);
  });

  test.runIf(twice[0])("a time that clocks show twice is two instants", () => {
    const [local, first, second] = twice;
    expect(occurrencesOf(parseDateTime(local), zone)).toEqual([first, second]);
    expect(instantOf(parseDateTime(local), zone)).toBe(first);
    expect(instantOf(parseDateTime(local), zone, "later")).toBe(second);
    expect(localOf(first, zone)?.toString()).toBe(localOf(second, zone)?.toString());
  });

  test("each instant around a change is found again from what clocks show", () => {
    for (const around of [skipped[1], twice[1]].filter(Boolean)) {
      for (
        let time = Date.parse(around) - 30 * HOUR;
        time < Date.parse(around) + 30 * HOUR;
        time += HOUR / 2
      ) {
        const instant = new Date(time + 123).toISOString();
        const local = localOf(instant, zone);
        expect(local && occurrencesOf(local, zone)).toContain(instant);
      }
    }
  });
});

test.each([
  ["2026-07-01T10:00:00.000+02:00", "Europe/Rome", "2026-07-01T10:00:00", "UTC+2"],
  ["2026-07-01T08:00:00Z", "America/St_Johns", "2026-07-01T05:30:00", "UTC−2:30"],
  ["2026-07-01T08:00:00.250Z", "Asia/Kathmandu", "2026-07-01T13:45:00.25", "UTC+5:45"],
  ["2026-07-01T08:00:00.250Z", "UTC", "2026-07-01T08:00:00.25", "UTC"],
  ["0001-01-01T00:00:00.000Z", "UTC", "0001-01-01T00:00:00", "UTC"],
  ["9999-12-31T23:59:59.999Z", "UTC", "9999-12-31T23:59:59.999", "UTC"],
])("%s in %s", (instant, zone, local, offset) => {
  expect(localOf(instant, zone)?.toString()).toBe(local);
  expect(offsetText(instant, zone)).toBe(offset);
});

test.each(["", "soon", "2026-07-01", "2026-07-01T10:00", "2026-13-01T10:00Z"])("%j is no instant", (text) => {
  expect(localOf(text, "UTC")).toBeNull();
  expect(offsetText(text, "UTC")).toBe("");
});

test("a year before 1000 keeps its four digits", () => {
  expect(instantOf(new CalendarDateTime(476, 9, 4), "UTC")).toBe("0476-09-04T00:00:00.000Z");
});
