// What can be done with the selected objects of a list.

import { Button } from "../components/button";
import { plural, t } from "../messages/messages";
import type { List } from "./list";
import { NOTHING } from "./selection";

interface SelectionBarProps {
  readonly list: List;
  /** The buttons. `selectedOptions` says which objects they are about. */
  readonly children?: React.ReactNode;
}

export function SelectionBar({ list, children }: SelectionBarProps) {
  const { selection, setSelection, query } = list;
  const counted = query.data?.totalCountUpTo;
  const isPageFull = query.data?.items.every(({ _id }) => selection.ids.has(_id));
  const hasMore = counted && (counted.more || counted.count > selection.ids.size);
  return (
    <section className="selection-bar" aria-label={t("Selection")}>
      <span role="status">
        {selection.isEverything
          ? t("All objects that match are selected.")
          : plural(selection.ids.size, "{count} object is selected.", "{count} objects are selected.")}
      </span>
      {!selection.isEverything && isPageFull && hasMore && (
        <Button
          variant="quiet"
          isSmall
          onPress={() => setSelection({ ids: selection.ids, isEverything: true })}
        >
          {t("Select all that match")}
        </Button>
      )}
      <span className="toolbar-spacer" />
      {children}
      <Button variant="quiet" isSmall onPress={() => setSelection(NOTHING)}>
        {t("Clear the selection")}
      </Button>
    </section>
  );
}
