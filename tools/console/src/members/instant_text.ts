// Instants of sessions, keys and the audit trail, in the member's language and zone.

import { currentLanguage } from "../messages/messages";

/** Returns an instant such as "28 Nov 2026, 09:40". */
export function instantText(iso: string, timeZone: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" };
  const language = currentLanguage() === "en" ? "en-GB" : currentLanguage();
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone }).format(date);
  } catch {
    // The service knows a time zone that this browser doesn't know.
    return new Intl.DateTimeFormat(language, options).format(date);
  }
}
