// Instants as a member reads and writes them: by the calendar and the clock of their time zone.

import {
  type CalendarDateTime,
  fromAbsolute,
  parseAbsolute,
  toCalendarDateTime,
  toZoned,
} from "@internationalized/date";

/** Where clocks are put back, an hour occurs twice. */
export type Occurrence = "earlier" | "later";

const WITH_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/i;

/** Returns an instant in ISO 8601, with an offset, in milliseconds since 1970, or null if it is none. */
function millisecondsOf(instant: string): number | null {
  if (!WITH_OFFSET.test(instant)) return null;
  try {
    return parseAbsolute(instant, "UTC").toDate().getTime();
  } catch {
    return null;
  }
}

/** Returns what calendar and clock show in a time zone at an instant in ISO 8601, null for another text. */
export function localOf(instant: string, zone: string): CalendarDateTime | null {
  const milliseconds = millisecondsOf(instant);
  return milliseconds === null ? null : toCalendarDateTime(fromAbsolute(milliseconds, zone));
}

/**
 * Returns the instant at which clocks show a local time, in ISO 8601.
 *
 * A time that is skipped because clocks are put forward is later by the length of the gap, as in the API.
 */
export function instantOf(local: CalendarDateTime, zone: string, occurrence: Occurrence = "earlier"): string {
  const isDouble = occurrencesOf(local, zone).length > 1;
  return written(millisecondsAt(local, zone, isDouble ? occurrence : "compatible"));
}

/** Returns the instants at which clocks show a local time: none if it is skipped, two if it occurs twice. */
export function occurrencesOf(local: CalendarDateTime, zone: string): readonly string[] {
  const instants = new Set([millisecondsAt(local, zone, "earlier"), millisecondsAt(local, zone, "later")]);
  return [...instants]
    .filter((each) => toCalendarDateTime(fromAbsolute(each, zone)).compare(local) === 0)
    .sort((one, other) => one - other)
    .map(written);
}

/** Returns the offset of a time zone from UTC at an instant, as "UTC+2" or "UTC−3:30". */
export function offsetText(instant: string, zone: string): string {
  const milliseconds = millisecondsOf(instant);
  if (milliseconds === null) return "";
  const minutes = Math.round(fromAbsolute(milliseconds, zone).offset / 60_000);
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`;
}

function millisecondsAt(
  local: CalendarDateTime,
  zone: string,
  occurrence: Occurrence | "compatible",
): number {
  return toZoned(local, zone, occurrence).toDate().getTime();
}

function written(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
