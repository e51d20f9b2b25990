// The list of a class: its heading, its toolbar, and the page of objects that the address says.

import "./list.css";
import { Plus } from "lucide-react";
import { useState } from "react";
import { paths } from "../app/routes";
import { ButtonLink } from "../components/button";
import { Page } from "../components/layout";
import { type ModelClass, offers } from "../description/model";
import { titleOf } from "../description/sidebar";
import { t } from "../messages/messages";
import { FilterBar } from "./filter/filter_bar";
import { useListPreferences } from "./list_preferences";
import { useInstant, useListPage } from "./list_query";
import { ListResult } from "./list_result";
import { ListToolbar } from "./list_toolbar";
import { useListState } from "./use_list_state";

export function ClassList({ class_ }: { readonly class_: ModelClass }) {
  const [state, change] = useListState(class_);
  const preferences = useListPreferences(class_);
  const query = useListPage(class_, state, preferences.columns, preferences.size);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const isPast = useInstant(class_) !== null;
  const list = { class_, state, change, preferences, query, selected, setSelected, isPast };
  return (
    <Page
      title={titleOf(class_.name)}
      description={class_.description}
      actions={
        offers(class_, "create") &&
        !isPast && (
          <ButtonLink variant="primary" icon={Plus} to={paths.create(class_.name)}>
            {t("Create")}
          </ButtonLink>
        )
      }
    >
      <ListToolbar list={list} />
      <FilterBar list={list} />
      <ListResult list={list} />
    </Page>
  );
}
