// The requests of an object's history.

import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { type Model, type ModelClass, offers } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import {
  changesDocument,
  comparisonDocument,
  HISTORY_PAGE,
  type Span,
  versionPageDocument,
} from "../documents/history";
import { objectSelection } from "../documents/object";
import { ask } from "../service/graphql";
import { entriesOf, groupsOf, type Version } from "./version";

export function historyKey(class_: string, id: string): readonly string[] {
  return ["history", class_, id];
}

export function idVariable(class_: ModelClass, id: string): Readonly<Record<string, string>> {
  return class_.kind === "SINGLETON" ? {} : { id };
}

interface VersionPage {
  readonly items: readonly Version[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
}

/** Reads the versions of an object, the latest first, page by page. */
export function useVersions(class_: ModelClass, id: string) {
  const query = useInfiniteQuery({
    queryKey: [...historyKey(class_.name, id), "versions"],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const options = {
        next: HISTORY_PAGE,
        orderBy: ["_versionStart___DESC"],
        ...(pageParam ? { cursor: pageParam } : {}),
      };
      const variables = { ...idVariable(class_, id), options };
      const { data } = await ask<{ page: VersionPage }>(versionPageDocument(class_), variables, signal);
      return data.page;
    },
    getNextPageParam: ({ hasNext, nextCursor }) => (hasNext ? nextCursor : null),
  });
  const pages = query.data?.pages ?? [];
  const versions = pages.flatMap(({ items }) => items);
  return { query, versions, entries: entriesOf(versions, pages.at(-1)?.hasNext ?? false) };
}

/** What a write has changed, as far as the member may see it. */
export interface WriteChanges {
  readonly names: readonly string[];
  readonly changedBy: string | null;
}

interface Difference {
  readonly changes: readonly { readonly name: string; readonly changedBy: string | null }[];
}

/** Reads what each write has changed, one request for each page of versions. Returns it by the version's start. */
export function useWriteChanges(
  class_: ModelClass,
  id: string,
  entries: ReturnType<typeof entriesOf>,
): ReadonlyMap<string, WriteChanges> {
  const groups = offers(class_, "getVersionDiff") ? groupsOf(entries, HISTORY_PAGE) : [];
  const results = useQueries({
    queries: groups.map((spans) => ({
      queryKey: [...historyKey(class_.name, id), "changes", spans],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const document = changesDocument(class_, spans);
        const variables = idVariable(class_, id);
        const { data } = await ask<Record<string, Difference | null>>(document, variables, signal);
        return spans.map((span, index) => changesOf(class_, span, data[`changes${index}`]));
      },
      // What has happened stays as it is.
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  return new Map(results.flatMap(({ data }) => data ?? []));
}

function changesOf(
  class_: ModelClass,
  { to }: Span,
  difference: Difference | null | undefined,
): readonly [string, WriteChanges] {
  const changes = difference?.changes ?? [];
  const platform = new Set(class_.platformAttributes);
  const names = changes.map(({ name }) => name).filter((name) => !platform.has(name));
  const changedBy = changes.find((change) => change.changedBy)?.changedBy ?? null;
  return [to, { names, changedBy }];
}

/** Two states of an object. One is null if the object did not exist then. */
export interface TwoStates {
  readonly difference: {
    readonly changes: readonly {
      readonly name: string;
      readonly old: string | null;
      readonly new: string | null;
    }[];
  } | null;
  readonly from: StoredObject | null;
  readonly to: StoredObject | null;
}

/** Reads an object as of two instants, and what differs. */
export function useTwoStates(model: Model, class_: ModelClass, id: string, span: Span) {
  return useQuery({
    queryKey: [...historyKey(class_.name, id), "two", span],
    queryFn: async ({ signal }) => {
      const document = comparisonDocument(class_, objectSelection(model, class_, "shown"));
      const { data } = await ask<TwoStates>(document, { ...idVariable(class_, id), ...span }, signal);
      return data;
    },
  });
}
