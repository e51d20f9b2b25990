// What a list is summarized by: keys of groups, and totals of attributes. All of it is pure.

import { type Attribute, isToMany, type ModelClass } from "../../description/model";

/** Parts of dates by which objects are grouped, as the API names them. */
export type Period = "YEAR" | "QUARTER" | "MONTH" | "WEEK" | "DAY" | "HOUR";
export type TotalFunction = "sum" | "avg" | "min" | "max" | "countDistinct";

export interface GroupKey {
  /** An attribute, or a to-one role. */
  readonly field: string;
  readonly period: Period | null;
}

export interface Total {
  /** An attribute, or for `countDistinct` a to-one role. */
  readonly field: string;
  readonly function: TotalFunction;
}

export type HavingOperator = "gte" | "lte";

export interface Summary {
  readonly keys: readonly GroupKey[];
  readonly totals: readonly Total[];
  /** The column that sorts the groups: `_keys`, `_count`, or that of a total. */
  readonly order: { readonly column: string; readonly isDescending: boolean };
  /** A condition on a column. */
  readonly having: {
    readonly column: string;
    readonly operator: HavingOperator;
    readonly value: string;
  } | null;
}

export const NO_SUMMARY: Summary = {
  keys: [],
  totals: [],
  order: { column: "_keys", isDescending: false },
  having: null,
};

const DATE_PERIODS: readonly Period[] = ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY"];
const PERIODS: Readonly<Record<string, readonly Period[]>> = {
  Date: DATE_PERIODS,
  Datetime: [...DATE_PERIODS, "HOUR"],
};
/** Types whose values themselves are keys. Enums are, too. */
const KEYS = new Set(["Boolean", "String", "Int", "Year", "Serial", "Date"]);

const NUMBERS: readonly TotalFunction[] = ["sum", "avg", "min", "max", "countDistinct"];
const ORDERED: readonly TotalFunction[] = ["min", "max", "countDistinct"];
const TOTALS: Readonly<Record<string, readonly TotalFunction[]>> = {
  Int: NUMBERS,
  Real: NUMBERS,
  Year: NUMBERS,
  String: ORDERED,
  Serial: ORDERED,
  Date: ORDERED,
  Time: ORDERED,
  Datetime: ORDERED,
  Boolean: ["countDistinct"],
};

/** Returns the names of a total in orders and conditions of groups, such as `salary___SUM`. */
export function columnOf({ field, function: name }: Total): string {
  return `${field}___${name === "countDistinct" ? "COUNT_DISTINCT" : name.toUpperCase()}`;
}

/** Returns the keys by which the member may group the objects of a class, in the model's order. */
export function offeredKeys(class_: ModelClass): readonly GroupKey[] {
  const attributes = class_.attributes.filter(isUsable).flatMap((attribute): GroupKey[] => {
    const { name: field, type } = attribute;
    const periods = (PERIODS[type] ?? []).map((period) => ({ field, period }));
    return attribute.values || KEYS.has(type) ? [{ field, period: null }, ...periods] : periods;
  });
  return [...attributes, ...toOneRoles(class_).map((field) => ({ field, period: null }))];
}

/** Returns the totals that the member may ask for, in the model's order. */
export function offeredTotals(class_: ModelClass): readonly Total[] {
  const attributes = class_.attributes.filter(isUsable).flatMap((attribute) =>
    (attribute.values ? (["countDistinct"] as const) : (TOTALS[attribute.type] ?? [])).map((name) => ({
      field: attribute.name,
      function: name,
    })),
  );
  const roles = toOneRoles(class_).map((field): Total => ({ field, function: "countDistinct" }));
  return [...attributes, ...roles];
}

function isUsable({ readable }: Attribute): boolean {
  return readable === "always";
}

function toOneRoles(class_: ModelClass): readonly string[] {
  return class_.roles.filter((role) => !isToMany(role) && role.readable === "always").map(({ name }) => name);
}

/** Returns a key as addresses have it: `hired_on.MONTH`. */
export function keyText({ field, period }: GroupKey): string {
  return period ? `${field}.${period}` : field;
}

/** Returns a total as addresses have it: `salary.sum`. */
export function totalText(total: Total): string {
  return `${total.field}.${total.function}`;
}

/** Returns the parameters of an address that describe a summary. */
export function summaryParameters({ keys, totals, order, having }: Summary): readonly [string, string][] {
  const parameters: [string, string][] = [
    ["group", keys.map(keyText).join(",")],
    ["total", totals.map(totalText).join(",")],
  ];
  if (order.column !== "_keys" || order.isDescending)
    parameters.push(["groupsort", `${order.isDescending ? "-" : ""}${order.column}`]);
  if (having) parameters.push(["having", `${having.column}.${having.operator}.${having.value}`]);
  return parameters;
}

/** Returns the summary that parameters describe, null for none. What the member can't ask for is left out. */
export function readSummary(parameters: URLSearchParams, class_: ModelClass): Summary | null {
  if (!parameters.has("group") && !parameters.has("total")) return null;
  const texts = (name: string) => (parameters.get(name) ?? "").split(",");
  const keys = chosen(texts("group"), offeredKeys(class_), keyText);
  const totals = chosen(texts("total"), offeredTotals(class_), totalText);
  const columns = ["_keys", "_count", ...totals.map(columnOf)];
  const sorted = parameters.get("groupsort") ?? "";
  const column = sorted.replace(/^-/, "");
  const order = columns.includes(column)
    ? { column, isDescending: sorted.startsWith("-") }
    : NO_SUMMARY.order;
  return { keys, totals, order, having: readHaving(parameters.get("having") ?? "", columns) };
}

function readHaving(text: string, columns: readonly string[]): Summary["having"] {
  const [column = "", operator = "", ...rest] = text.split(".");
  const isKnown = column !== "_keys" && columns.includes(column) && ["gte", "lte"].includes(operator);
  return isKnown ? { column, operator: operator as HavingOperator, value: rest.join(".") } : null;
}

function chosen<T>(
  texts: readonly string[],
  offered: readonly T[],
  textOf: (each: T) => string,
): readonly T[] {
  const known = new Map(offered.map((each) => [textOf(each), each]));
  return [...new Set(texts)].map((text) => known.get(text)).filter((each) => each !== undefined);
}
