// Int: a whole number of 32 bits.

import type { Attribute } from "../../description/model";
import { t } from "../../messages/messages";
import { parseDecimal, showDecimal } from "../decimals";
import { simpleEditors } from "../editors";
import { defineValueType, ORDER } from "../value_type";

interface Range {
  readonly min: number;
  readonly max: number;
}
type Show = (number: unknown) => string;

const RANGE: Range = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/** Returns the whole number that a text means, or the text itself if it means none. */
export function parseWhole(text: string): number | string {
  const number = parseDecimal(text);
  return number !== null && /^-?\d{1,15}$/.test(number) ? Number(number) : text;
}

/** Returns what is wrong with a value that is no whole number of a range, else null. */
export function notWhole(value: unknown, { min, max }: Range, domain: Attribute["domain"], show: Show) {
  if (typeof value === "number" && value >= min && value <= max) return null;
  // Whoever types another number then should not meet the next limit.
  const limits = { min: show(domain?.["min"] ?? min), max: show(domain?.["max"] ?? max) };
  return t("Use a whole number from {min} to {max}.", limits);
}

const show = (value: unknown) => showDecimal(String(value));

export const intType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  toText: show,
  problem: (value, { domain }) => notWhole(value, RANGE, domain, show),
  ...simpleEditors("IntEditor"),
});
