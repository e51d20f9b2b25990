// Date, Time and Datetime: shown in the member's formats by the service, and edited in ISO 8601.

import { lazy } from "react";
import { defineValueType, ORDER } from "../value_type";

const temporal = { operators: ORDER, edited: '(format: "iso")' };

export const dateType = defineValueType({
  ...temporal,
  Editor: lazy(async () => ({ default: (await import("./temporal_editors")).DateEditor })),
});

export const timeType = defineValueType({
  ...temporal,
  isSame: (one, other) => milliseconds(String(one)) === milliseconds(String(other)),
  Editor: lazy(async () => ({ default: (await import("./temporal_editors")).TimeEditor })),
});

export const datetimeType = defineValueType({
  ...temporal,
  isSame: (one, other) => Date.parse(String(one)) === Date.parse(String(other)),
  Editor: lazy(async () => ({ default: (await import("./temporal_editors")).DatetimeEditor })),
});

/** Returns a time such as `10:30` or `10:30:00.000` with milliseconds. */
function milliseconds(time: string): string {
  const [clock = "", fraction = ""] = time.split(".");
  return `${clock.length === 5 ? `${clock}:00` : clock}.${fraction.padEnd(3, "0").slice(0, 3)}`;
}
