// Decimal numbers as texts, exact to each digit, as people of a language write and read them.

import { currentLanguage } from "../messages/messages";

/** The API refuses numbers with more digits. */
const MAX_DIGITS = 38;
/** The API refuses numbers with larger ones. */
const MAX_EXPONENT = 130;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
const SPACES = /[\s\u00a0\u2009\u202f'’]/g;

interface Separators {
  readonly group: string;
  readonly decimal: string;
}

function separators(): Separators {
  const parts = new Intl.NumberFormat(currentLanguage(), { useGrouping: "always" }).formatToParts(-12345.6);
  const find = (type: string, fallback: string) =>
    parts.find((part) => part.type === type)?.value ?? fallback;
  return { group: find("group", ","), decimal: find("decimal", ".") };
}

/** Returns a number without an exponent, as `1500` for `1.5E+3`. A text that is no number stays as it is. */
export function plainDigits(text: string): string {
  const match = DECIMAL.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, "0");
  const padded = point < 1 ? "0".repeat(1 - point) + digits : digits;
  const at = Math.max(point, 1);
  const left = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const right = padded.slice(at).replace(/0+$/, "");
  const number = right ? `${left}.${right}` : left;
  return number === "0" ? number : sign + number;
}

/**
 * Returns a number of the API with the separators of the language, and all its digits.
 *
 * If it has fewer digits behind the point than wanted, zeros follow.
 */
export function showDecimal(text: string, wanted = 0): string {
  const plain = plainDigits(text);
  if (!DECIMAL.test(plain)) return text;
  const { group, decimal } = separators();
  const [whole = "", digits = ""] = plain.split(".");
  const fraction = digits.padEnd(wanted, "0");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
  return fraction ? grouped + decimal + fraction : grouped;
}

/** Returns the same without separators between groups of digits, to be edited. */
export function showEditedDecimal(text: string): string {
  const plain = plainDigits(text);
  return DECIMAL.test(plain) ? plain.replace(".", separators().decimal) : text;
}

/**
 * Returns the number that a text means, as the API takes it, or null if it means none.
 *
 * The separators are those of the language. Where they would make no sense, a single point or comma is the
 * decimal one: `1.5` is one and a half in every language, while `1.500` is what it is in the member's.
 */
export function parseDecimal(text: string): string | null {
  const { group, decimal } = separators();
  const written = text
    .replace(SPACES, "")
    .replace(/^[−‐–]/, "-")
    .replace(/^\+/, "");
  const number = asGrouped(written, group, decimal) ?? asSinglePoint(written);
  const exponent = Number(DECIMAL.exec(number ?? "")?.[4] ?? 0);
  if (number === null || !DECIMAL.test(number) || Math.abs(exponent) > MAX_EXPONENT) return null;
  const plain = plainDigits(number);
  return significantDigits(plain) > MAX_DIGITS ? null : plain;
}

function asGrouped(written: string, group: string, decimal: string): string | null {
  const [whole = "", ...rest] = written.split(decimal);
  if (rest.length > 1) return null;
  const groups = whole.replace(/^-/, "").split(group);
  const isGrouped = groups.length === 1 || groups.every((each, index) => isGroup(each, index === 0));
  if (!isGrouped || !/\d/.test(written)) return null;
  const sign = whole.startsWith("-") ? "-" : "";
  const [fraction] = rest;
  return sign + (groups.join("") || "0") + (fraction ? `.${fraction}` : "");
}

function isGroup(digits: string, isFirst: boolean): boolean {
  return isFirst ? /^\d{1,3}$/.test(digits) : /^\d{3}$/.test(digits);
}

function asSinglePoint(written: string): string | null {
  return /^-?\d*[.,]\d+(e[+-]?\d+)?$/i.test(written)
    ? written.replace(",", ".").replace(/^(-?)\./, "$10.")
    : null;
}

function significantDigits(plain: string): number {
  const digits = plain.replace(/[-.]/g, "").replace(/^0+/, "");
  return (plain.includes(".") ? digits : digits.replace(/0+$/, "")).length;
}
