// The requests for deleted objects of a class.

import { useInfiniteQuery } from "@tanstack/react-query";
import type { ModelClass } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { deletedPageDocument, HISTORY_PAGE } from "../documents/history";
import { searchedAttributes } from "../documents/search";
import { ask } from "../service/graphql";

export interface DeletedObject {
  readonly object: StoredObject & { readonly start: string };
  /** In the member's formats. */
  readonly deletedOn: string;
  /** In ISO 8601. */
  readonly instant: string;
  /** Null if nobody knows, or the member may not know. */
  readonly deletedBy: string | null;
  readonly restorable: boolean;
}

interface DeletedPage {
  readonly items: readonly DeletedObject[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
}

/** Reads the deleted objects of a class, the latest deletion first, page by page. */
export function useDeletedObjects(class_: ModelClass, search: string) {
  const filter = searchFilter(class_, search);
  return useInfiniteQuery({
    queryKey: ["deleted", class_.name, filter],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const options = {
        next: HISTORY_PAGE,
        ...(filter ? { filter } : {}),
        ...(pageParam ? { cursor: pageParam } : {}),
      };
      const { data } = await ask<{ page: DeletedPage }>(deletedPageDocument(class_), { options }, signal);
      return data.page;
    },
    getNextPageParam: ({ hasNext, nextCursor }) => (hasNext ? nextCursor : null),
  });
}

/**
 * Returns the filter of a search: each word must be in one of the attributes, or null without a word.
 *
 * Deleted objects have no search by expressions, so a word is looked for as it is written, in capitals, in
 * small letters, and with a capital at its beginning.
 */
export function searchFilter(class_: ModelClass, search: string): object | null {
  const attributes = searchedAttributes(class_);
  const words = search.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0 || attributes.length === 0) return null;
  return {
    AND: words.map((word) => ({
      OR: attributes.flatMap(({ name, compare }) =>
        (compare ? [word] : writings(word)).map((each) => ({ [`${name}___contains`]: each })),
      ),
    })),
  };
}

function writings(word: string): readonly string[] {
  const small = word.toLocaleLowerCase();
  const [first = "", ...rest] = small;
  return [...new Set([word, small, word.toLocaleUpperCase(), first.toLocaleUpperCase() + rest.join("")])];
}
