// Instants as texts. The month is written out, so that no order of day and month is misread.

import { currentLanguage } from "../messages/messages";
import type { Member } from "../session/member";
import { hourCycleOf, localeOfDates } from "../values/date_formats";

/** Returns an instant in the member's zone and language, such as "5 March 2026 at 10:00", or "5 Mar 2026, 10:00". */
export function instantText(
  instant: string,
  { timeZone, dateFormat, timeFormat }: Member,
  length: "long" | "short" = "long",
): string {
  const date = new Date(instant);
  const hasSeconds = date.getTime() % 60_000 !== 0;
  return new Intl.DateTimeFormat(localeOfDates(currentLanguage(), dateFormat), {
    timeZone,
    day: "numeric",
    month: length,
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...(hasSeconds ? { second: "2-digit" } : {}),
    hourCycle: hourCycleOf(timeFormat) === 12 ? "h12" : "h23",
  }).format(date);
}
