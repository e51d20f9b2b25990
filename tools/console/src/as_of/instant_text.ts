// Instants as texts. The month is written out, so that no order of day and month is misread.

import { currentLanguage } from "../messages/messages";
import type { Member } from "../session/member";

/** Returns an instant in the member's zone and language, such as "5 March 2026 at 10:00", or "5 Mar 2026, 10:00". */
export function instantText(
  instant: string,
  { timeZone, timeFormat }: Member,
  length: "long" | "short" = "long",
): string {
  const date = new Date(instant);
  const hasSeconds = date.getTime() % 60_000 !== 0;
  return new Intl.DateTimeFormat(currentLanguage() === "en" ? "en-GB" : currentLanguage(), {
    timeZone,
    day: "numeric",
    month: length,
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...(hasSeconds ? { second: "2-digit" } : {}),
    hourCycle: timeFormat.includes("a") ? "h12" : "h23",
  }).format(date);
}
