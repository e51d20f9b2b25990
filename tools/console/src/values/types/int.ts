// Int: a whole number of 32 bits.

import { lazy } from "react";
import { t } from "../../messages/messages";
import { parseDecimal, showDecimal } from "../decimals";
import { defineValueType, ORDER } from "../value_type";

const MIN = -(2 ** 31);
const MAX = 2 ** 31 - 1;

/** Returns the whole number that a text means, or the text itself if it means none. */
export function parseWhole(text: string): number | string {
  const number = parseDecimal(text);
  return number !== null && /^-?\d{1,15}$/.test(number) ? Number(number) : text;
}

/** Returns what is wrong with a value that is no whole number of a range, else null. */
export function notWhole(value: unknown, min: number, max: number, show: (number: number) => string) {
  if (typeof value === "number" && value >= min && value <= max) return null;
  return t("Use a whole number from {min} to {max}.", { min: show(min), max: show(max) });
}

const show = (value: unknown) => showDecimal(String(value));

export const intType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  toText: show,
  problem: (value) => notWhole(value, MIN, MAX, show),
  Editor: lazy(async () => ({ default: (await import("./simple_editors")).IntEditor })),
});
