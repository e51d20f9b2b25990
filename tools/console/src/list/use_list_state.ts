// The state of a list in the query of its address, so that links and the back button lead to it.

import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import type { ModelClass } from "../description/model";
import { useModel } from "../description/use_model";
import { FIRST, type ListState, readState, writeState } from "./list_state";

export interface ChangeOptions {
  /** Whether the back button skips what was before, as while the member types. */
  readonly isReplaced?: boolean;
}

export type ChangeState = (change: Partial<ListState>, options?: ChangeOptions) => void;

/** Returns the state, and a function that changes it. A change goes to the first page unless it names a place. */
export function useListState(class_: ModelClass): readonly [ListState, ChangeState] {
  const model = useModel();
  const query = useSearch();
  const [location, navigate] = useLocation();
  const state = useMemo(() => readState(query, class_, model), [query, class_, model]);
  const change = useCallback<ChangeState>(
    (changed, { isReplaced = false } = {}) => {
      const next = writeState({ ...state, place: FIRST, ...changed });
      navigate(next ? `${location}?${next}` : location, { replace: isReplaced });
    },
    [state, location, navigate],
  );
  return [state, change];
}
