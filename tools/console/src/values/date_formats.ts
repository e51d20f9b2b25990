// How fields of dates and times follow the member's formats, which are patterns of Java.

type Order = "DMY" | "MDY" | "YMD";

/** By language and order of day, month and year: the locale that writes numeric dates so. */
const LOCALES: Readonly<Record<string, Partial<Record<Order, string>>>> = {
  en: { DMY: "en-GB", MDY: "en-US", YMD: "en-CA" },
};

/** Returns the locale whose dates have the order of the member's format, as far as the language has one. */
export function localeOfDates(language: string, dateFormat: string): string {
  return LOCALES[language]?.[orderOf(dateFormat)] ?? language;
}

function orderOf(dateFormat: string): Order {
  if (dateFormat === "iso") return "YMD";
  const letters = withoutQuoted(dateFormat);
  const [year, month, day] = [letters.search(/[yuY]/), letters.search(/[ML]/), letters.search(/d/)];
  if (year < month && month < day) return "YMD";
  return month < day ? "MDY" : "DMY";
}

/** Returns whether the clock of the member's format has 12 or 24 hours. */
export function hourCycleOf(timeFormat: string): 12 | 24 {
  return /[hK]/.test(withoutQuoted(timeFormat)) ? 12 : 24;
}

/** Whether a time needs seconds in its field: the member's format has them, or the value does. */
export function needsSeconds(
  timeFormat: string,
  time: { second: number; millisecond: number } | null,
): boolean {
  return /s/.test(withoutQuoted(timeFormat)) || (time !== null && (time.second > 0 || time.millisecond > 0));
}

function withoutQuoted(pattern: string): string {
  return pattern.replace(/'[^']*'/g, "");
}
