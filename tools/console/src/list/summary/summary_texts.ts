// Keys and totals of groups as people read them.

import { fieldTitle } from "../../description/field_title";
import type { Attribute, ModelClass } from "../../description/model";
import { currentLanguage, t } from "../../messages/messages";
import type { Member } from "../../session/member";
import { valueTypeOf } from "../../values/registry";
import { subjectOf } from "../filter/condition";
import { conditionValueText } from "../filter/value_texts";
import { firstDay } from "./group_conditions";
import type { GroupKey, Period, Total, TotalFunction } from "./summary";

type Formats = Pick<Member, "timeZone" | "dateFormat" | "timeFormat">;

const PERIOD_TITLES: Readonly<Record<Period, (field: string) => string>> = {
  YEAR: (field) => t("{field} (year)", { field }),
  QUARTER: (field) => t("{field} (quarter)", { field }),
  MONTH: (field) => t("{field} (month)", { field }),
  WEEK: (field) => t("{field} (week)", { field }),
  DAY: (field) => t("{field} (day)", { field }),
  HOUR: (field) => t("{field} (hour)", { field }),
};

const TOTAL_TITLES: Readonly<Record<TotalFunction, (field: string) => string>> = {
  sum: (field) => t("{field} (sum)", { field }),
  avg: (field) => t("{field} (average)", { field }),
  min: (field) => t("{field} (least)", { field }),
  max: (field) => t("{field} (greatest)", { field }),
  countDistinct: (field) => t("{field} (different values)", { field }),
};

export function keyTitle({ field, period }: GroupKey): string {
  const title = fieldTitle(field);
  return period ? PERIOD_TITLES[period](title) : title;
}

export function totalTitle({ field, function: name }: Total): string {
  return TOTAL_TITLES[name](fieldTitle(field));
}

/** Returns a key of a group as a text, null if it is null. */
export function keyValueText(
  key: GroupKey,
  value: unknown,
  class_: ModelClass,
  formats: Formats,
): string | null {
  if (value === null || value === undefined) return null;
  if (key.period) return periodText(String(value), key.period, formats);
  const subject = subjectOf(class_, key.field);
  if (subject?.kind === "attribute") return conditionValueText(value, subject.attribute, formats);
  const { _id, _label } = value as { readonly _id: string; readonly _label: string | null };
  return _label || _id;
}

const DATE = { type: "Date" } as Attribute;

function periodText(bucket: string, period: Period, formats: Formats): string {
  const [year = "", part = ""] = bucket.split("-");
  switch (period) {
    case "YEAR":
      return year;
    case "QUARTER":
      return t("Quarter {quarter} of {year}", { quarter: part.slice(1), year });
    case "WEEK":
      return t("Week {week} of {year}", { week: Number(part.slice(1)), year });
    case "MONTH":
      return monthText(bucket);
    case "DAY":
      return conditionValueText(bucket, DATE, formats);
    case "HOUR": {
      const [day = "", hour = ""] = bucket.split("T");
      return `${conditionValueText(day, DATE, formats)}, ${hour}:00`;
    }
  }
}

function monthText(bucket: string): string {
  const format = new Intl.DateTimeFormat(currentLanguage(), {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return format.format(firstDay(bucket, "MONTH").toDate("UTC"));
}

const DECIMALS = 4;

/** Returns a total as a text, null if there is nothing to sum or compare. */
export function totalValueText(total: Total, value: unknown, class_: ModelClass): string | null {
  if (value === null || value === undefined) return null;
  const subject = subjectOf(class_, total.field);
  const isExtreme = total.function === "min" || total.function === "max";
  if (isExtreme && subject?.kind === "attribute") {
    return valueTypeOf(subject.attribute).toText(value, subject.attribute);
  }
  // Texts of digits are formatted exactly, whatever their length.
  const format = new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: DECIMALS });
  return format.format(String(value) as Intl.StringNumericLiteral);
}
