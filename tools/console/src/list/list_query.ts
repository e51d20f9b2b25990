// The requests of a list: one for each page, and one to count exactly.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAsOf } from "../as_of/as_of";
import type { ModelClass } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { countDocument, listDocument } from "../documents/list";
import { ask, type Variables } from "../service/graphql";
import type { Column } from "./columns";
import { type ListState, optionsOf, pageOptions } from "./list_state";

export interface ListPage {
  readonly items: readonly StoredObject[];
  readonly totalCountUpTo: { readonly count: number; readonly more: boolean };
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly hasNext: boolean;
  readonly hasPrev: boolean;
}

/** Returns the instant that the list of a class shows, null for now and for classes that keep no versions. */
export function useInstant(class_: ModelClass): string | null {
  const asOf = useAsOf();
  return class_.versioned ? asOf : null;
}

/** Reads the page of a list. While it reads another page, it returns the one before. */
export function useListPage(class_: ModelClass, state: ListState, columns: readonly Column[], size: number) {
  const atVersion = useInstant(class_);
  const document = listDocument(class_, selectionOf(columns), atVersion !== null);
  const options = pageOptions(state, class_, size);
  return useQuery({
    queryKey: ["list", class_.name, document, options, atVersion],
    queryFn: async ({ signal }) => {
      const { data, issues } = await ask<{ page: ListPage }>(document, variables(options, atVersion), signal);
      return { ...data.page, issues };
    },
    placeholderData: keepPreviousData,
  });
}

/** Counts the objects of a list exactly, once `isWanted`. */
export function useExactCount(class_: ModelClass, state: ListState, isWanted: boolean) {
  const atVersion = useInstant(class_);
  const options = optionsOf(state, class_);
  return useQuery({
    queryKey: ["list", class_.name, "count", options, atVersion],
    queryFn: async ({ signal }) => {
      const document = countDocument(class_, atVersion !== null);
      const { data } = await ask<{ page: { totalCount: number } }>(
        document,
        variables(options, atVersion),
        signal,
      );
      return data.page.totalCount;
    },
    enabled: isWanted,
  });
}

function variables(options: object, atVersion: string | null): Variables {
  return atVersion === null ? { options } : { options, atVersion };
}

function selectionOf(columns: readonly Column[]) {
  return {
    attributes: columns.filter((each) => each.kind === "attribute").map(({ attribute }) => attribute),
    roles: columns.filter((each) => each.kind === "role").map(({ role }) => role),
  };
}
