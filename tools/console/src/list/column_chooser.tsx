// Which columns a list shows, and in which order.

import { ArrowDown, ArrowUp, Columns3 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../components/button";
import { Checkbox, SearchField } from "../components/field";
import { PopoverButton } from "../components/menu";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { allColumns, type Column, columnTitle } from "./columns";
import type { List } from "./list";

/** More columns than this are searched rather than looked through. */
const SEARCHED = 12;

export function ColumnChooser({ list }: { readonly list: List }) {
  return (
    <PopoverButton
      label={t("Columns")}
      placement="bottom end"
      trigger={
        <Button icon={Columns3}>
          <span className="toolbar-label">{t("Columns")}</span>
        </Button>
      }
    >
      <Columns list={list} />
    </PopoverButton>
  );
}

function Columns({ list: { class_, preferences } }: { readonly list: List }) {
  const model = useModel();
  const [search, setSearch] = useState("");
  const shown = preferences.columns;
  const others = allColumns(class_, model).filter(({ name }) => !shown.some((each) => each.name === name));
  const matches = (column: Column) =>
    columnTitle(column).toLocaleLowerCase().includes(search.trim().toLocaleLowerCase());
  const move = (index: number, by: number) => {
    const next = [...shown];
    const [moved] = next.splice(index, 1);
    if (moved) next.splice(index + by, 0, moved);
    preferences.setColumns(next);
  };
  return (
    <div className="column-chooser">
      {shown.length + others.length > SEARCHED && (
        <SearchField label={t("Search columns")} value={search} onChange={setSearch} />
      )}
      <ul>
        {shown.map((column, index) =>
          matches(column) ? (
            <li key={column.name}>
              <Checkbox
                isSelected
                onChange={() => preferences.setColumns(shown.filter((each) => each !== column))}
              >
                <span className="user-text">{columnTitle(column)}</span>
              </Checkbox>
              <span className="toolbar-spacer" />
              <IconButton
                icon={ArrowUp}
                label={t("Move {column} to the front", { column: columnTitle(column) })}
                isSmall
                isDisabled={index === 0}
                onPress={() => move(index, -1)}
              />
              <IconButton
                icon={ArrowDown}
                label={t("Move {column} to the end", { column: columnTitle(column) })}
                isSmall
                isDisabled={index === shown.length - 1}
                onPress={() => move(index, 1)}
              />
            </li>
          ) : null,
        )}
        {others.filter(matches).map((column) => (
          <li key={column.name}>
            <Checkbox isSelected={false} onChange={() => preferences.setColumns([...shown, column])}>
              <span className="user-text">{columnTitle(column)}</span>
            </Checkbox>
          </li>
        ))}
      </ul>
      <Button isSmall isDisabled={!preferences.isChosen} onPress={() => preferences.setColumns(null)}>
        {t("Show the usual columns")}
      </Button>
    </div>
  );
}
