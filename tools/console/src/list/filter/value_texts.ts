// Values of conditions as people read them. Conditions have values as inputs of the API have them.

import type { Attribute } from "../../description/model";
import { currentLanguage } from "../../messages/messages";
import type { Member } from "../../session/member";
import { hourCycleOf, localeOfDates } from "../../values/date_formats";
import { valueTypeOf } from "../../values/registry";

type MemberFormats = Pick<Member, "timeZone" | "dateFormat" | "timeFormat">;

const DAY: Intl.DateTimeFormatOptions = { day: "2-digit", month: "2-digit", year: "numeric" };
const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };

/** By type: the instant that a value stands for, and how it is written. */
const TEMPORAL: Readonly<
  Record<string, { read: (text: string) => string; options: Intl.DateTimeFormatOptions; isLocal: boolean }>
> = {
  Date: { read: (text) => `${text}T00:00:00Z`, options: DAY, isLocal: false },
  Time: { read: (text) => `2000-01-01T${text}Z`, options: CLOCK, isLocal: false },
  Datetime: { read: (text) => text, options: { ...DAY, ...CLOCK }, isLocal: true },
};

/** Returns a value of a condition as a text in the member's formats, as far as the browser has them. */
export function conditionValueText(value: unknown, attribute: Attribute, member: MemberFormats): string {
  if (Array.isArray(value)) {
    const texts = value.map((each) => conditionValueText(each, attribute, member));
    return new Intl.ListFormat(currentLanguage(), { type: "disjunction" }).format(texts);
  }
  return temporalText(String(value), attribute, member) ?? valueTypeOf(attribute).toText(value, attribute);
}

function temporalText(text: string, { type }: Attribute, member: MemberFormats): string | null {
  const found = TEMPORAL[type];
  // A condition on an instant can also name a day.
  const kind = type === "Datetime" && text.length <= 10 ? TEMPORAL["Date"] : found;
  if (!kind) return null;
  const instant = new Date(kind.read(text));
  if (Number.isNaN(instant.getTime())) return text;
  const locale = localeOfDates(currentLanguage(), member.dateFormat);
  const hourCycle = hourCycleOf(member.timeFormat) === 12 ? "h12" : "h23";
  const timeZone = kind.isLocal ? member.timeZone : "UTC";
  return new Intl.DateTimeFormat(locale, { ...kind.options, hourCycle, timeZone }).format(instant);
}
