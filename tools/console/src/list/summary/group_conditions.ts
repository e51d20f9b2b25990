// The conditions that the objects of a group meet, so that a list shows them.

import { type CalendarDate, CalendarDateTime, parseDate } from "@internationalized/date";
import type { ModelClass } from "../../description/model";
import { keyName } from "../../documents/summary";
import { instantOf } from "../../values/instants";
import { type AttributeCondition, type Condition, ID, subjectOf } from "../filter/condition";
import type { GroupKey, Period } from "./summary";

/** The keys of a group by their names, as the API returns them. */
export type GroupKeys = Readonly<Record<string, unknown>>;

/** Returns the conditions that the objects of a group meet. Dates are those of the member's time zone. */
export function groupConditions(
  keys: readonly GroupKey[],
  values: GroupKeys,
  class_: ModelClass,
  timeZone: string,
): readonly Condition[] {
  return keys.flatMap((key) => keyConditions(key, values[keyName(key)], class_, timeZone));
}

function keyConditions(
  { field, period }: GroupKey,
  value: unknown,
  class_: ModelClass,
  timeZone: string,
): readonly Condition[] {
  if (value === null || value === undefined) return [{ field, operator: "null" }];
  if (period === null) {
    if (subjectOf(class_, field)?.kind === "attribute") return [{ field, operator: "eq", value }];
    const { _id } = value as { readonly _id: string };
    return [{ field, operator: "is", inner: { field: ID.name, operator: "eq", value: _id } }];
  }
  const [from, before] = boundsOf(String(value), period, timeZone);
  const begin: AttributeCondition = { field, operator: "gte", value: from };
  return [begin, { field, operator: "lt", value: before }];
}

/** Returns the begin of a period and that of the next one, as days, or as instants for hours. */
export function boundsOf(bucket: string, period: Period, timeZone: string): readonly [string, string] {
  if (period !== "HOUR") {
    const first = firstDay(bucket, period);
    return [first.toString(), first.add(LENGTHS[period]).toString()];
  }
  const [day = "", hour = "0"] = bucket.split("T");
  const { year, month, day: date } = parseDate(day);
  const from = new CalendarDateTime(year, month, date, Number(hour));
  return [instantOf(from, timeZone), instantOf(from.add({ hours: 1 }), timeZone)];
}

const LENGTHS = {
  YEAR: { years: 1 },
  QUARTER: { months: 3 },
  MONTH: { months: 1 },
  WEEK: { weeks: 1 },
  DAY: { days: 1 },
} as const;

/** Returns the first day of a period such as `2026`, `2026-Q1`, `2026-03`, `2026-W10` or `2026-03-31`. */
export function firstDay(bucket: string, period: Exclude<Period, "HOUR">): CalendarDate {
  const [year = "", part = ""] = bucket.split("-");
  if (period === "YEAR") return parseDate(`${year}-01-01`);
  if (period === "DAY") return parseDate(bucket);
  if (period === "MONTH") return parseDate(`${bucket}-01`);
  if (period === "QUARTER") {
    const month = String((Number(part.slice(1)) - 1) * 3 + 1).padStart(2, "0");
    return parseDate(`${year}-${month}-01`);
  }
  // The week with the fourth of January is the first one (ISO 8601). Weeks begin on Mondays.
  const fourth = parseDate(`${year}-01-04`);
  const weekday = (fourth.toDate("UTC").getUTCDay() + 6) % 7;
  return fourth.subtract({ days: weekday }).add({ weeks: Number(part.slice(1)) - 1 });
}
