// Instants that members often ask for.

import { now } from "@internationalized/date";

export type Moment = "hourAgo" | "dayStart" | "weekAgo" | "monthStart" | "yearStart";

/** Returns the instant of a moment in the member's time zone, counted from now. */
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
