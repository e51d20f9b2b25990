// The request of a summary.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ModelClass } from "../../description/model";
import { groupsDocument, type KeyField, type SummaryDocument, totalsDocument } from "../../documents/summary";
import { ask } from "../../service/graphql";
import { subjectOf } from "../filter/condition";
import { useInstant } from "../list_query";
import { type ListState, optionsOf } from "../list_state";
import type { GroupKeys } from "./group_conditions";
import type { GroupKey, Summary } from "./summary";

/** The count and the totals of a group, or of all objects. */
export type Totals = Readonly<Record<string, unknown>> & { readonly _count: number };
export type Group = Totals & { readonly _keys: GroupKeys };

interface Page {
  readonly aggregates: Totals;
  /** Absent if there are no keys. */
  readonly groups?: {
    readonly items: readonly Group[];
    readonly totalCount: number;
    readonly hasNext: boolean;
  };
}

/** Reads the groups of a list. `next` is the greatest number of them. */
export function useGroups(class_: ModelClass, state: ListState, summary: Summary, next: number) {
  const atVersion = useInstant(class_);
  const isGrouped = summary.keys.length > 0;
  const document = isGrouped
    ? groupsDocument(class_, selectionOf(summary, class_), atVersion !== null)
    : totalsDocument(class_, summary.totals, atVersion !== null);
  const variables = {
    options: optionsOf(state, class_),
    ...(isGrouped && { having: havingInput(summary), next }),
    ...(atVersion && { atVersion }),
  };
  return useQuery({
    queryKey: ["list", class_.name, document, variables],
    queryFn: async ({ signal }) => (await ask<{ page: Page }>(document, variables, signal)).data.page,
    placeholderData: keepPreviousData,
  });
}

function selectionOf({ keys, totals, order }: Summary, class_: ModelClass): SummaryDocument {
  return {
    keys: keys.map((key) => keyField(key, class_)),
    totals,
    orderBy: `${order.column}___${order.isDescending ? "DESC" : "ASC"}`,
  };
}

export function keyField({ field, period }: GroupKey, class_: ModelClass): KeyField {
  const subject = subjectOf(class_, field);
  if (period || subject?.kind !== "attribute") {
    return { field, period, selection: period ? "" : " { _id _label }" };
  }
  return { field, period, selection: subject.attribute.type === "Date" ? '(format: "iso")' : "" };
}

/** Counts are compared as Int, and sums and averages as Real. */
export function havingInput({ having }: Summary): Record<string, unknown> | null {
  if (!having?.value.trim()) return null;
  const isCount = having.column === "_count" || having.column.endsWith("___COUNT_DISTINCT");
  const value = isCount ? Number(having.value) : having.value;
  return { [`${having.column}___${having.operator}`]: value };
}
