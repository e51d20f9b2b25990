// Instants as the member chooses them, in the member's time zone.

import { now, parseAbsolute, parseDateTime, toCalendarDateTime, toZoned } from "@internationalized/date";

/**
 * Returns the instant of a local date and time such as `2026-03-05T10:00`, in ISO 8601 in UTC.
 *
 * In the hour that occurs twice when clocks are set back, it is the earlier instant. A time that clocks skip
 * is moved by what they skip. Returns null if the text is no date and time.
 */
export function instantOf(local: string, timeZone: string): string | null {
  try {
    return toZoned(parseDateTime(local), timeZone, "compatible").toAbsoluteString();
  } catch {
    return null;
  }
}

/** Returns an instant as a local date and time, such as `2026-03-05T10:00:00`. */
export function localOf(instant: string, timeZone: string): string {
  return toCalendarDateTime(parseAbsolute(instant, timeZone)).toString();
}

export type Moment = "hourAgo" | "dayStart" | "weekAgo" | "monthStart" | "yearStart";

/** Returns the instant of a moment that members often ask for, counted from now. */
export function instantOfMoment(moment: Moment, timeZone: string): string {
  const current = now(timeZone).set({ second: 0, millisecond: 0 });
  const midnight = current.set({ hour: 0, minute: 0 });
  const moments = {
    hourAgo: current.subtract({ hours: 1 }),
    dayStart: midnight,
    weekAgo: current.subtract({ weeks: 1 }),
    monthStart: midnight.set({ day: 1 }),
    yearStart: midnight.set({ month: 1, day: 1 }),
  };
  return moments[moment].toAbsoluteString();
}
