// What a list is sorted by, for all attributes, and for screens on which the headers are out of sight.

import { ArrowDownUp, X } from "lucide-react";
import { Button, IconButton } from "../components/button";
import { SelectField } from "../components/field";
import { PopoverButton } from "../components/menu";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { allColumns, columnTitle, isSortable } from "./columns";
import type { List } from "./list";
import type { Order } from "./list_state";

export function SortMenu({ list }: { readonly list: List }) {
  return (
    <PopoverButton
      label={t("Sort")}
      trigger={
        <Button icon={ArrowDownUp}>
          <span className="toolbar-label">{t("Sort")}</span>
        </Button>
      }
    >
      <Sorting list={list} />
    </PopoverButton>
  );
}

function Sorting({ list: { class_, state, change } }: { readonly list: List }) {
  const model = useModel();
  const { order } = state;
  const choices = allColumns(class_, model)
    .filter(isSortable)
    .map((column) => ({ value: column.name, label: columnTitle(column) }));
  const others = choices.filter(({ value }) => !order.some(({ attribute }) => attribute === value));
  const replace = (index: number, now: readonly Order[]) =>
    change({ order: order.flatMap((each, at) => (at === index ? now : [each])) });
  return (
    <div className="sort-menu">
      {order.map((each, index) => (
        <div key={each.attribute} className="sort-row">
          <SelectField
            label={index === 0 ? t("Sort by") : t("Then by")}
            value={each.attribute}
            choices={choices.filter(
              ({ value }) => value === each.attribute || others.some((other) => other.value === value),
            )}
            onChange={(attribute) => replace(index, [{ ...each, attribute }])}
          />
          <SelectField
            label={t("Direction")}
            value={each.isDescending ? "descending" : "ascending"}
            choices={[
              { value: "ascending", label: t("Ascending") },
              { value: "descending", label: t("Descending") },
            ]}
            onChange={(direction) => replace(index, [{ ...each, isDescending: direction === "descending" }])}
          />
          <IconButton icon={X} label={t("Remove")} onPress={() => replace(index, [])} />
        </div>
      ))}
      <SelectField
        label={order.length === 0 ? t("Sort by") : t("Then by")}
        value=""
        choices={[{ value: "", label: t("Choose…") }, ...others]}
        onChange={(attribute) =>
          attribute && change({ order: [...order, { attribute, isDescending: false }] })
        }
      />
    </div>
  );
}
