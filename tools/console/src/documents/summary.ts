// The documents of groups and totals.

import type { ModelClass } from "../description/model";

/** A key of groups: an attribute, a period of it, or a to-one role. */
export interface KeyField {
  readonly field: string;
  readonly period: string | null;
  /** What follows the field in a selection. */
  readonly selection: string;
}

/** A total of an attribute, by the field of the API. */
export interface TotalField {
  readonly field: string;
  readonly function: string;
}

export interface SummaryDocument {
  readonly keys: readonly KeyField[];
  readonly totals: readonly TotalField[];
  /** As the API has it, such as `salary___SUM___DESC`. */
  readonly orderBy: string;
}

/** Names that are literals of GraphQL, for which the API has other keys. */
const LITERALS = new Set(["true", "false", "null"]);

/** Returns the selection of totals, with their attributes one by one. */
export function totalsSelection(totals: readonly TotalField[]): string {
  const functions = new Map<string, string[]>();
  for (const total of totals) {
    const known = functions.get(total.field) ?? [];
    functions.set(total.field, [...known, total.function]);
  }
  return ["_count", ...[...functions].map(([field, names]) => `${field} { ${names.join(" ")} }`)].join(" ");
}

/** Returns the name of a key in the fields of a group. */
export function keyName({ field, period }: Pick<KeyField, "field" | "period">): string {
  return period ? `${field}___${period}` : field;
}

/**
 * Returns the document of the groups of all objects that options select, and of the totals of all of them.
 *
 * Its variables are `options`, `having`, `next` (the number of groups), and as of an instant `atVersion`.
 */
export function groupsDocument(class_: ModelClass, summary: SummaryDocument, isPast: boolean): string {
  const { name } = class_;
  const past = isPast ? [", $atVersion: Datetime", ", atVersion: $atVersion"] : ["", ""];
  const by = summary.keys.map(keyName).map((each) => (LITERALS.has(each) ? `_${each}` : each));
  const keys = summary.keys.map((key) => `${keyName(key)}${key.selection}`);
  const totals = totalsSelection(summary.totals);
  return `query($options: ${name}PageOptions, $having: ${name}___GroupFilter, $next: Int${past[0]}) {
    page: ${name}___getPage(options: $options${past[1]}) {
      aggregates { ${totals} }
      groups(by: [${by.join(" ")}], having: $having, orderBy: [${summary.orderBy}], next: $next) {
        items { _keys { ${keys.join(" ")} } ${totals} } totalCount hasNext
      }
    }
  }`;
}

/** Returns the document of the totals of all objects that options select. Its variables are those of a page. */
export function totalsDocument({ name }: ModelClass, totals: readonly TotalField[], isPast: boolean): string {
  const past = isPast ? [", $atVersion: Datetime", ", atVersion: $atVersion"] : ["", ""];
  return `query($options: ${name}PageOptions${past[0]}) {
    page: ${name}___getPage(options: $options${past[1]}) { aggregates { ${totalsSelection(totals)} } }
  }`;
}
