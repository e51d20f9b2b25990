// The toolbar of a list: the search, and how many objects there are.

import { Sigma } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../components/button";
import { SearchField } from "../components/field";
import { searchedAttributes } from "../documents/search";
import { plural, t } from "../messages/messages";
import { ColumnChooser } from "./column_chooser";
import { FilterButton } from "./filter/filter_button";
import type { List } from "./list";
import { useExactCount } from "./list_query";
import { SortMenu } from "./sort_menu";
import { NO_SUMMARY } from "./summary/summary";

/** Milliseconds without a key after which a search begins. */
const PAUSE = 300;

export function ListToolbar({ list }: { readonly list: List }) {
  const isGrouped = (list.state.summary?.keys.length ?? 0) > 0;
  return (
    <div className="toolbar">
      {searchedAttributes(list.class_).length > 0 && <Search list={list} />}
      <FilterButton list={list} />
      {!isGrouped && <SortMenu list={list} />}
      <span className="toolbar-spacer" />
      {!isGrouped && <Count list={list} />}
      <SummarizeButton list={list} />
      {!isGrouped && <ColumnChooser list={list} />}
    </div>
  );
}

function Search({ list: { state, change } }: { readonly list: List }) {
  const [text, setText] = useState(state.search);
  const [shown, setShown] = useState(state.search);
  if (shown !== state.search) {
    // The address has changed, as by the back button.
    setShown(state.search);
    setText(state.search);
  }
  useEffect(() => {
    if (text.trim() === state.search) return;
    const timer = setTimeout(() => {
      setShown(text.trim());
      change({ search: text.trim() }, { isReplaced: state.search !== "" });
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text, state.search, change]);
  return (
    <div className="list-search">
      <SearchField label={t("Search")} value={text} onChange={setText} />
    </div>
  );
}

function SummarizeButton({ list: { state, change } }: { readonly list: List }) {
  return (
    <Button
      icon={Sigma}
      aria-pressed={state.summary !== null}
      onPress={() => change({ summary: state.summary ? null : NO_SUMMARY })}
    >
      <span className="toolbar-label">{t("Summarize")}</span>
    </Button>
  );
}

/** How many objects there are, up to a limit, beyond which they are counted on request. */
function Count({ list: { class_, state, query } }: { readonly list: List }) {
  const [isWanted, setWanted] = useState(false);
  const exact = useExactCount(class_, state, isWanted);
  const counted = query.data?.totalCountUpTo;
  if (!counted) return null;
  if (!counted.more || exact.data !== undefined) {
    const count = counted.more ? (exact.data ?? 0) : counted.count;
    return <span className="list-count">{plural(count, "{count} object", "{count} objects")}</span>;
  }
  return (
    <Button
      variant="quiet"
      isSmall
      isPending={exact.isFetching}
      aria-label={t("Count all objects")}
      onPress={() => setWanted(true)}
    >
      {plural(counted.count, "More than {count} object", "{count}+ objects")}
    </Button>
  );
}
