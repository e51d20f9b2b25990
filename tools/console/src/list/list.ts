// What the parts of a list share: what is shown, how it changes, and what the service said.

import { type ModelClass, offers } from "../description/model";
import type { ListPreferences } from "./list_preferences";
import type { useListPage } from "./list_query";
import type { ListState } from "./list_state";
import type { Selection } from "./selection";
import type { ChangeState } from "./use_list_state";

export interface List {
  readonly class_: ModelClass;
  readonly state: ListState;
  readonly change: ChangeState;
  readonly preferences: ListPreferences;
  readonly query: ReturnType<typeof useListPage>;
  readonly selection: Selection;
  readonly setSelection: (selection: Selection) => void;
  /** Whether the list shows the past, where nothing can be written. */
  readonly isPast: boolean;
}

/** Whether the member can do anything with many objects at once. */
export function isSelectable({ class_, isPast }: List): boolean {
  return !isPast && (offers(class_, "updateBulk") || offers(class_, "deleteBulk"));
}
