import { expect, test } from "vitest";
import { dateText, dayText, instantText, timeText } from "../../src/values/instant_text";

const ROME = { timeZone: "Europe/Rome", dateFormat: "dd/MM/yyyy", timeFormat: "HH:mm" };
const BOSTON = { timeZone: "America/New_York", dateFormat: "MM/dd/yyyy", timeFormat: "hh:mm a" };

test.each([
  ["2026-03-05T23:30:00Z", ROME, "6 March 2026 at 00:30", "6 Mar 2026, 00:30"],
  ["2026-07-05T10:00:07.5Z", ROME, "5 July 2026 at 12:00:07", "5 Jul 2026, 12:00:07"],
  ["2026-03-05T23:30:00Z", BOSTON, "March 5, 2026 at 06:30 PM", "Mar 5, 2026, 06:30 PM"],
  // Half past two occurs twice on that day.
  ["2026-10-25T00:30:00Z", ROME, "25 October 2026 at 02:30", "25 Oct 2026, 02:30"],
])("the instant %s is shown in the member's zone and order", (instant, formats, long, short) => {
  // Between time and am or pm, there may be a narrow space.
  const plain = (text: string) => text.replace(/\s/g, " ");
  expect(plain(instantText(instant, formats))).toBe(long);
  expect(plain(instantText(instant, formats, "short"))).toBe(short);
});

test("a day and a time are those of the member's zone", () => {
  expect(dayText("2026-03-05T23:30:00Z", ROME)).toBe("6 March 2026");
  expect(timeText("2026-03-05T23:30:00Z", ROME)).toBe("00:30");
});

test.each([
  ["2026-03-05", "5 Mar 2026"],
  ["12", "12"],
  ["2026-03-0", "2026-03-0"],
])("the date %s is shown as %s", (date, text) => {
  expect(dateText(date, { ...ROME, timeZone: "Pacific/Apia" })).toBe(text);
});
