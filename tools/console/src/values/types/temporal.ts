// Date, Time and Datetime: shown in the member's formats by the service, and edited in ISO 8601.

import { t } from "../../messages/messages";
import { temporalEditors } from "../editors";
import { dateText, instantText } from "../instant_text";
import { defineValueType, ORDER } from "../value_type";

const temporal = { operators: ORDER, edited: '(format: "iso")' };
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/;
const INSTANT = /^([+-]\d{2})?\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/;

export const dateType = defineValueType({
  ...temporal,
  inputText: (value, formats) => dateText(String(value), formats),
  problem: (value) =>
    DATE.test(String(value)) ? null : t("Complete the date, or clear the field. Years are from 1 to 9999."),
  ...temporalEditors("DateEditor"),
});

export const timeType = defineValueType({
  ...temporal,
  problem: (value) => (TIME.test(String(value)) ? null : t("Complete the time, or clear the field.")),
  isSame: (one, other) => withMilliseconds(String(one)) === withMilliseconds(String(other)),
  ...temporalEditors("TimeEditor"),
});

export const datetimeType = defineValueType({
  ...temporal,
  inputText: (value, formats) => instantText(String(value), formats, "short") || String(value),
  problem: (value) => {
    if (!INSTANT.test(String(value))) return t("Complete the date and the time, or clear the field.");
    const year = new Date(String(value)).getUTCFullYear();
    return year >= 1 && year <= 9999 ? null : t("Use a year from 1 to 9999, which also holds in UTC.");
  },
  isSame: (one, other) => Date.parse(String(one)) === Date.parse(String(other)),
  ...temporalEditors("DatetimeEditor"),
});

/** Returns a time such as `10:30` as `10:30:00.000`. */
function withMilliseconds(time: string): string {
  const [clock = "", fraction = ""] = time.split(".");
  return `${clock.length === 5 ? `${clock}:00` : clock}.${fraction.padEnd(3, "0").slice(0, 3)}`;
}
