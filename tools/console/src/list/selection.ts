// The objects of a list that the member has selected, for what is done with many at once.

import type { ModelClass } from "../description/model";
import { type ListState, optionsOf } from "./list_state";

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all objects that match are meant, also those on other pages. */
  readonly isEverything: boolean;
}

export const NOTHING: Selection = { ids: new Set(), isEverything: false };

export function isSelected(selection: Selection, id: string): boolean {
  return selection.isEverything || selection.ids.has(id);
}

/** Returns the selection with an object added or removed. */
export function withObject(selection: Selection, id: string, isAdded: boolean): Selection {
  const ids = new Set(selection.ids);
  if (isAdded) ids.add(id);
  else ids.delete(id);
  return { ids, isEverything: false };
}

/**
 * Returns the options of the API that select the objects, as bulk services take them.
 *
 * Bulk services refuse options without a comparison, so "everything" compares ids.
 */
export function selectedOptions(
  selection: Selection,
  state: ListState,
  class_: ModelClass,
): Record<string, unknown> {
  if (!selection.isEverything) return { filter: { _id___in: [...selection.ids] } };
  const options = optionsOf(state, class_);
  return Object.keys(options).length > 0 ? options : { filter: { _id___not___null: true } };
}
