// The button that adds a filter to a list.

import { ListFilter } from "lucide-react";
import { Button } from "../../components/button";
import { PopoverButton } from "../../components/menu";
import { t } from "../../messages/messages";
import type { List } from "../list";
import { FilterEditor } from "./filter_editor";

export function FilterButton({ list }: { readonly list: List }) {
  const { state, change } = list;
  return (
    <PopoverButton
      label={t("Add a filter")}
      trigger={
        <Button icon={ListFilter}>
          <span className="toolbar-label">{t("Filter")}</span>
        </Button>
      }
    >
      {(close) => (
        <FilterEditor
          list={list}
          onApply={(filter) => {
            change("condition" in filter ? { conditions: [...state.conditions, filter.condition] } : filter);
            close();
          }}
        />
      )}
    </PopoverButton>
  );
}
