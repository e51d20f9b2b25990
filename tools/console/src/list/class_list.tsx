// The list of a class: its heading, its toolbar, and the page of objects that the address says.

import "./list.css";
import { Plus, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { CostButton } from "../administration/cost/cost_button";
import { paths } from "../app/routes";
import { useAsOf } from "../as_of/as_of";
import { ButtonLink } from "../components/button";
import { Banner, Loading } from "../components/feedback";
import { Page } from "../components/layout";
import { type ModelClass, offers } from "../description/model";
import { titleOf } from "../description/sidebar";
import { t } from "../messages/messages";
import { BulkActions } from "./bulk/bulk_actions";
import { FilterBar } from "./filter/filter_bar";
import { useListPreferences } from "./list_preferences";
import { useListPage, useListRequest } from "./list_query";
import { ListResult } from "./list_result";
import { FIRST, writeState } from "./list_state";
import { ListToolbar } from "./list_toolbar";
import { NOTHING, type Selection, selectedOptions } from "./selection";
import { SelectionBar } from "./selection_bar";
import { useListState } from "./use_list_state";

const SummaryPanel = lazy(() => import("./summary/summary_panel"));

export function ClassList({ class_ }: { readonly class_: ModelClass }) {
  const [state, change] = useListState(class_);
  const preferences = useListPreferences(class_);
  const isGrouped = (state.summary?.keys.length ?? 0) > 0;
  const request = useListRequest(class_, state, preferences.columns, preferences.size);
  const query = useListPage(class_, request, !isGrouped);
  const [selection, setSelection] = useSelection(writeState({ ...state, order: [], place: FIRST }));
  const isPast = useAsOf() !== null;
  const list = { class_, state, change, preferences, query, selection, setSelection, isPast };
  return (
    <Page
      title={titleOf(class_.name)}
      description={class_.description}
      actions={
        <>
          {!isGrouped && <CostButton document={request.document} variables={request.variables} />}
          {offers(class_, "getDeletedPage") && (
            <ButtonLink variant="quiet" icon={Trash2} to={paths.deleted(class_.name)}>
              {t("Deleted objects")}
            </ButtonLink>
          )}
          {offers(class_, "create") && !isPast && (
            <ButtonLink variant="primary" icon={Plus} to={paths.create(class_.name)}>
              {t("Create")}
            </ButtonLink>
          )}
        </>
      }
    >
      {isPast && !class_.versioned && (
        <Banner kind="past">
          {t("No versions of these objects are kept. The list shows them as they are now.")}
        </Banner>
      )}
      <ListToolbar list={list} />
      <FilterBar list={list} />
      {(selection.isEverything || selection.ids.size > 0) && (
        <SelectionBar list={list}>
          {!isPast && (
            <BulkActions
              class_={class_}
              options={selectedOptions(selection, state, class_)}
              onDone={() => {
                setSelection(NOTHING);
                focusHeading();
              }}
            />
          )}
        </SelectionBar>
      )}
      {state.summary && (
        <Suspense fallback={<Loading />}>
          <SummaryPanel list={list} summary={state.summary} />
        </Suspense>
      )}
      {!isGrouped && <ListResult list={list} />}
    </Page>
  );
}

/** Keeps keyboards and screen readers on the page, when what had the focus goes away. */
function focusHeading(): void {
  // The dialog gives the focus back first.
  setTimeout(() => document.querySelector<HTMLElement>("main h1")?.focus(), 50);
}

/** Keeps the selection as long as the list has the same objects, on whatever page. */
function useSelection(matched: string) {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [current, setCurrent] = useState(matched);
  if (current !== matched) {
    setCurrent(matched);
    setSelection(NOTHING);
  }
  return [selection, setSelection] as const;
}
