// Dates and instants in ISO 8601 as texts. The month is in letters, so that nobody misreads its place.

import { currentLanguage } from "../messages/messages";
import type { Member } from "../session/member";
import { hourCycleOf, localeOfDates } from "./date_formats";

/** What a member has chosen. */
export type Formats = Pick<Member, "timeZone" | "dateFormat" | "timeFormat">;

/** Returns an instant in the member's zone, such as "5 March 2026 at 10:00", or "5 Mar 2026, 10:00". */
export function instantText(instant: string, formats: Formats, length: "long" | "short" = "long"): string {
  return format(new Date(instant), formats.timeZone, formats, {
    ...dayOf(length),
    ...timeOf(instant, formats),
  });
}

/** Returns the day of an instant in the member's zone, such as "5 March 2026". */
export function dayText(instant: string, formats: Formats): string {
  return format(new Date(instant), formats.timeZone, formats, dayOf("long"));
}

/** Returns the time of an instant in the member's zone, such as "10:00", with seconds if there are any. */
export function timeText(instant: string, formats: Formats): string {
  return format(new Date(instant), formats.timeZone, formats, timeOf(instant, formats));
}

/** Returns a date such as `2026-03-05` as "5 Mar 2026", and a text that is none as it is. */
export function dateText(date: string, formats: Formats): string {
  return format(new Date(`${date}T00:00:00Z`), "UTC", formats, dayOf("short")) || date;
}

function dayOf(length: "long" | "short"): Intl.DateTimeFormatOptions {
  return { day: "numeric", month: length, year: "numeric" };
}

function timeOf(instant: string, { timeFormat }: Formats): Intl.DateTimeFormatOptions {
  const milliseconds = Date.parse(instant) % 60_000;
  return {
    hour: "2-digit",
    minute: "2-digit",
    ...(milliseconds === 0 ? {} : { second: "2-digit" }),
    hourCycle: hourCycleOf(timeFormat) === 12 ? "h12" : "h23",
  };
}

function format(date: Date, timeZone: string, formats: Formats, options: Intl.DateTimeFormatOptions): string {
  if (Number.isNaN(date.getTime())) return "";
  const locale = localeOfDates(currentLanguage(), formats.dateFormat);
  try {
    return new Intl.DateTimeFormat(locale, { timeZone, ...options }).format(date);
  } catch {
    // The service knows a time zone that this browser doesn't know.
    return new Intl.DateTimeFormat(locale, options).format(date);
  }
}
