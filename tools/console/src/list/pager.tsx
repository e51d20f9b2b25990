// The way from page to page, in both directions, and how many objects a page has.

import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from "lucide-react";
import { useId } from "react";
import { IconButton } from "../components/button";
import { t } from "../messages/messages";
import type { List } from "./list";
import { SIZES } from "./list_preferences";
import type { ListPage } from "./list_query";
import { FIRST, type Place } from "./list_state";

interface PagerProps {
  readonly list: List;
  readonly page: ListPage;
}

export function Pager({ list, page }: PagerProps) {
  const { change, preferences, query } = list;
  const id = useId();
  const go = (place: Place) => {
    change({ place });
    document.querySelector(".list-frame")?.scrollIntoView({ block: "nearest" });
  };
  const isBusy = query.isPlaceholderData;
  const hasSmaller = page.hasNext || page.hasPrev || page.items.length > (SIZES[0] ?? 0);
  if (!hasSmaller) return null;
  return (
    <nav className="toolbar pager" aria-label={t("Pages")}>
      <label htmlFor={id} className="quiet">
        {t("Objects a page")}
      </label>
      <select
        id={id}
        className="input pager-size"
        value={preferences.size}
        onChange={(event) => {
          preferences.setSize(Number(event.target.value));
          change({ place: FIRST });
        }}
      >
        {SIZES.map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <span className="toolbar-spacer" />
      <IconButton
        icon={ChevronFirst}
        label={t("First page")}
        isDisabled={!page.hasPrev || isBusy}
        onPress={() => go(FIRST)}
      />
      <IconButton
        icon={ChevronLeft}
        label={t("Previous page")}
        isDisabled={!page.hasPrev || isBusy}
        onPress={() => page.prevCursor && go({ kind: "before", cursor: page.prevCursor })}
      />
      <IconButton
        icon={ChevronRight}
        label={t("Next page")}
        isDisabled={!page.hasNext || isBusy}
        onPress={() => page.nextCursor && go({ kind: "after", cursor: page.nextCursor })}
      />
      <IconButton
        icon={ChevronLast}
        label={t("Last page")}
        isDisabled={!page.hasNext || isBusy}
        onPress={() => go({ kind: "last" })}
      />
    </nav>
  );
}
