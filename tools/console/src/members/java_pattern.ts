// Shows by an example what a Java pattern of dates or times means. The service formats all other dates.

import { currentLanguage } from "../messages/messages";

/** A field of `Intl.DateTimeFormat` by the letter of the pattern and how often it stands there. */
type Part = (
  count: number,
) => readonly [keyof Intl.DateTimeFormatPartTypesRegistry, Intl.DateTimeFormatOptions];

const digits = (count: number) => (count >= 2 ? "2-digit" : "numeric");
const name = (count: number) => (count >= 5 ? "narrow" : count === 4 ? "long" : "short");

const PARTS: Readonly<Record<string, Part>> = {
  y: (count) => ["year", { year: count === 2 ? "2-digit" : "numeric" }],
  M: (count) => ["month", { month: count >= 3 ? name(count) : digits(count), day: "numeric" }],
  L: (count) => ["month", { month: count >= 3 ? name(count) : digits(count) }],
  d: (count) => ["day", { day: digits(count) }],
  E: (count) => ["weekday", { weekday: name(count) }],
  a: () => ["dayPeriod", { hour: "numeric", hourCycle: "h12" }],
  H: (count) => ["hour", { hour: digits(count), hourCycle: "h23" }],
  h: (count) => ["hour", { hour: digits(count), hourCycle: "h12" }],
  m: () => ["minute", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }],
  s: () => ["second", { minute: "2-digit", second: "2-digit" }],
  z: (count) => ["timeZoneName", { timeZoneName: count >= 4 ? "long" : "short" }],
};
const PADDED = new Set(["H", "d", "h", "m", "s", "M"]);
const TOKENS = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g;

/**
 * Returns a date as a Java pattern shows it, or null if the console can't show the pattern.
 *
 * That is no mistake: the service knows more letters.
 */
export function exampleOf(pattern: string, date: Date, timeZone: string): string | null {
  if (pattern === "iso" || !pattern) return null;
  let text = "";
  for (const [token, quoted, letter] of pattern.matchAll(TOKENS)) {
    if (quoted !== undefined) text += quoted ? quoted.replaceAll("''", "'") : "'";
    else if (letter === undefined) text += token;
    else {
      const shown = partOf(letter, token.length, date, timeZone);
      if (shown === null) return null;
      text += shown;
    }
  }
  return text;
}

function partOf(letter: string, count: number, date: Date, timeZone: string): string | null {
  const part = PARTS[letter];
  if (!part) return null;
  const [type, options] = part(count);
  try {
    const language = currentLanguage() === "en" ? "en-GB" : currentLanguage();
    const parts = new Intl.DateTimeFormat(language, { ...options, timeZone }).formatToParts(date);
    const value = parts.find((each) => each.type === type)?.value ?? null;
    if (value === null || !PADDED.has(letter) || !/^\d+$/.test(value)) return value;
    return String(Number(value)).padStart(count, "0");
  } catch {
    return null; // a time zone that this browser doesn't know
  }
}
