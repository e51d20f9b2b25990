// Real: a decimal number, exact to each of its 38 digits. It is a text everywhere, never a number of JavaScript.

import { t } from "../../messages/messages";
import { parseDecimal, plainDigits, showDecimal } from "../decimals";
import { simpleEditors } from "../editors";
import { defineValueType, ORDER } from "../value_type";

const PLAIN = /^-?\d+(\.\d+)?$/;

/** Returns the number that a text means, or the text itself if it means none. */
export function parseReal(text: string): string {
  return parseDecimal(text) ?? text;
}

export const realType = defineValueType({
  isNumeric: true,
  operators: ORDER,
  edited: '(format: "iso")',
  // Amounts of one column have the same number of digits behind the point.
  toText: (value, { domain }) => showDecimal(String(value), Number(domain?.["digits"] ?? 0)),
  problem: (value) => {
    if (PLAIN.test(String(value))) return null;
    return t("Use a number such as {example}, with at most 38 digits.", { example: showDecimal("1234.5") });
  },
  isSame: (one, other) => plainDigits(String(one)) === plainDigits(String(other)),
  ...simpleEditors("RealEditor"),
});
