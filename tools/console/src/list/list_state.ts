// What a list shows, as its address says: search, filter, order and place. All of it is pure.

import type { Model, ModelClass } from "../description/model";
import { searchExpression } from "../documents/search";
import { type Condition, conditionText, filterOf, parseCondition } from "./filter/condition";
import { readSummary, type Summary, summaryParameters } from "./summary/summary";

export interface Order {
  readonly attribute: string;
  readonly isDescending: boolean;
}

/** Where a page of the list begins: after an object, before one, or so that it ends with the last one. */
export type Place =
  | { readonly kind: "first" }
  | { readonly kind: "after" | "before"; readonly cursor: string }
  | { readonly kind: "last" };

export interface ListState {
  readonly search: string;
  /** All of them must be met. */
  readonly conditions: readonly Condition[];
  /** A condition as an expression: `filter_exp` of the API. */
  readonly expression: string;
  readonly order: readonly Order[];
  readonly place: Place;
  /** What the list is summarized by, null if it is not. */
  readonly summary: Summary | null;
}

export const FIRST: Place = { kind: "first" };
export const EVERYTHING: ListState = {
  search: "",
  conditions: [],
  expression: "",
  order: [],
  place: FIRST,
  summary: null,
};

/** Returns the state that the query of an address describes. What the model doesn't have is left out. */
export function readState(query: string, class_: ModelClass, model: Model): ListState {
  const parameters = new URLSearchParams(query);
  const conditions = parameters
    .getAll("filter")
    .map((text) => parseCondition(text, class_, model))
    .filter((each) => each !== null);
  return {
    search: parameters.get("search") ?? "",
    conditions,
    expression: parameters.get("expression") ?? "",
    order: parseOrder(parameters.get("sort") ?? "", class_),
    place: parsePlace(parameters),
    summary: readSummary(parameters, class_),
  };
}

function parseOrder(text: string, class_: ModelClass): readonly Order[] {
  return text
    .split(",")
    .map((each) => ({ attribute: each.replace(/^-/, ""), isDescending: each.startsWith("-") }))
    .filter(({ attribute }) => class_.attributes.some((each) => each.name === attribute));
}

function parsePlace(parameters: URLSearchParams): Place {
  const after = parameters.get("after");
  if (after) return { kind: "after", cursor: after };
  const before = parameters.get("before");
  if (before) return { kind: "before", cursor: before };
  return parameters.has("last") ? { kind: "last" } : FIRST;
}

/** Returns the query of the address that describes a state, without a question mark. */
export function writeState(state: ListState): string {
  const parameters = new URLSearchParams();
  if (state.search) parameters.set("search", state.search);
  for (const condition of state.conditions) parameters.append("filter", conditionText(condition));
  if (state.expression) parameters.set("expression", state.expression);
  const order = state.order.map(({ attribute, isDescending }) =>
    isDescending ? `-${attribute}` : attribute,
  );
  if (order.length > 0) parameters.set("sort", order.join(","));
  if (state.place.kind === "last") parameters.set("last", "");
  else if (state.place.kind !== "first") parameters.set(state.place.kind, state.place.cursor);
  for (const [name, value] of state.summary ? summaryParameters(state.summary) : []) {
    parameters.set(name, value);
  }
  return parameters.toString();
}

/** Whether a state leaves out objects of the class. */
export function isNarrowed({ search, conditions, expression }: ListState): boolean {
  return Boolean(search.trim() || conditions.length > 0 || expression.trim());
}

/** Returns the filter of the API: all conditions. Null if there are none. */
export function filterInput(state: ListState, class_: ModelClass): Record<string, unknown> | null {
  const all = state.conditions.map((condition) => filterOf(condition, class_));
  if (all.length === 0) return null;
  return all.length === 1 ? (all[0] ?? null) : { AND: all };
}

function expressionOf(state: ListState, class_: ModelClass): string {
  const search = searchExpression(state.search, class_) ?? "";
  const expression = state.expression.trim();
  return search && expression ? `(${expression}) && ${search}` : search || expression;
}

/** Returns the options of the API that select the objects of a state, whatever the page. */
export function optionsOf(state: ListState, class_: ModelClass): Record<string, unknown> {
  const filter = filterInput(state, class_);
  const expression = expressionOf(state, class_);
  return { ...(filter && { filter }), ...(expression && { filter_exp: expression }) };
}

/** Returns the options of the API for the page that a state shows. `size` is the number of its objects. */
export function pageOptions(state: ListState, class_: ModelClass, size: number): Record<string, unknown> {
  const { place } = state;
  const isBackwards = place.kind === "before" || place.kind === "last";
  const order = state.order.map(
    ({ attribute, isDescending }) => `${attribute}___${isDescending ? "DESC" : "ASC"}`,
  );
  return {
    ...optionsOf(state, class_),
    ...(order.length > 0 && { orderBy: order }),
    [isBackwards ? "prev" : "next"]: size,
    ...("cursor" in place && { cursor: place.cursor }),
  };
}

/** Returns the order after a click on a header: ascending, descending, then none. */
export function sortedBy(order: readonly Order[], attribute: string, isAdded = false): readonly Order[] {
  const current = order.find((each) => each.attribute === attribute);
  const next: readonly Order[] = !current
    ? [{ attribute, isDescending: false }]
    : current.isDescending
      ? []
      : [{ attribute, isDescending: true }];
  if (!isAdded) return next;
  if (!current) return [...order, ...next];
  return order.flatMap((each) => (each === current ? next : [each]));
}
