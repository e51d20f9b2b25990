// The deleted objects of a class, the latest deletion first, to be looked at and brought back.

import "../components/table.css";
import "./history.css";
import { History, RotateCcw, SearchX, Trash2 } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Link } from "wouter";
import { type PageProps, paths } from "../app/routes";
import { useAsOf } from "../as_of/as_of";
import { Button, ButtonLink } from "../components/button";
import { Badge, Banner, EmptyState, ErrorState, Loading } from "../components/feedback";
import { SearchField } from "../components/field";
import { Page } from "../components/layout";
import { type ModelClass, offers } from "../description/model";
import { titleOf } from "../description/sidebar";
import { labelOf } from "../description/stored_object";
import { useModel } from "../description/use_model";
import { searchedAttributes } from "../documents/search";
import { t } from "../messages/messages";
import { Nothing as NoValue } from "../values/value_text";
import { type DeletedObject, useDeletedObjects } from "./deleted_query";
import { objectPath } from "./history_paths";
import { RestoreDialog } from "./restore_dialog";
import { useSearchInAddress } from "./use_search_in_address";
import { justBefore } from "./version";

export default function DeletedPage({ params }: PageProps) {
  const { class: className = "" } = params;
  const class_ = useModel().find(className);
  if (class_ && offers(class_, "getDeletedPage")) return <DeletedObjects class_={class_} />;
  return (
    <Page title={titleOf(className)}>
      <div className="card">
        <EmptyState
          icon={SearchX}
          title={t("Deleted objects are not kept")}
          actions={class_ && <ButtonLink to={paths.list(className)}>{t("Show the list")}</ButtonLink>}
        >
          {t("The class keeps no versions of its objects, or you may not see them.")}
        </EmptyState>
      </div>
    </Page>
  );
}

function DeletedObjects({ class_ }: { readonly class_: ModelClass }) {
  const [search, setSearch] = useSearchInAddress();
  const query = useDeletedObjects(class_, useDeferredValue(search));
  const [restored, setRestored] = useState<DeletedObject | null>(null);
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      title={t("Deleted objects of {class}", { class: titleOf(class_.name) })}
      description={t("The latest deletion comes first.")}
      breadcrumbs={[{ label: titleOf(class_.name), to: paths.list(class_.name) }]}
    >
      {searchedAttributes(class_).length > 0 && (
        <div className="toolbar deleted-search">
          <SearchField label={t("Search deleted objects")} value={search} onChange={setSearch} />
        </div>
      )}
      {items.length > 0 ? (
        <DeletedTable class_={class_} items={items} onRestore={setRestored} />
      ) : (
        <div className="card">
          {query.error ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data ? (
            <Nothing class_={class_} search={search} onClear={() => setSearch("")} />
          ) : (
            <Loading />
          )}
        </div>
      )}
      {query.hasNextPage && (
        <div className="toolbar">
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {t("Show earlier deletions")}
          </Button>
        </div>
      )}
      {query.isFetchNextPageError && <Banner kind="error">{query.error?.message}</Banner>}
      {restored && (
        <RestoreDialog
          class_={class_}
          id={restored.object._id}
          label={labelOf(restored.object)}
          instant={justBefore(restored.instant)}
          revision={null}
          onClose={() => setRestored(null)}
          onRestored={() => setRestored(null)}
        />
      )}
    </Page>
  );
}

interface NothingProps {
  readonly class_: ModelClass;
  readonly search: string;
  readonly onClear: () => void;
}

function Nothing({ class_, search, onClear }: NothingProps) {
  if (search) {
    return (
      <EmptyState
        icon={SearchX}
        title={t("Nothing found")}
        actions={<Button onPress={onClear}>{t("Clear the search")}</Button>}
      >
        {t("No deleted object has these words in its texts.")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Trash2}
      title={t("Nothing was deleted")}
      actions={<ButtonLink to={paths.list(class_.name)}>{t("Show the list")}</ButtonLink>}
    >
      {t("What somebody deletes is listed here, and can be restored.")}
    </EmptyState>
  );
}

interface DeletedTableProps {
  readonly class_: ModelClass;
  readonly items: readonly DeletedObject[];
  readonly onRestore: (deleted: DeletedObject) => void;
}

function DeletedTable({ class_, items, onRestore }: DeletedTableProps) {
  const isPast = useAsOf() !== null;
  const isOffered = offers(class_, "restoreVersion") && !isPast;
  return (
    <div className="table-frame">
      <table className="table deleted-table">
        <thead>
          <tr>
            <th scope="col">{t("Label")}</th>
            <th scope="col">{t("Deleted on")}</th>
            <th scope="col">{t("Deleted by")}</th>
            <th scope="col">
              <span className="visually-hidden">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => {
            const { object, deletedOn, deletedBy, instant } = item;
            const label = labelOf(object);
            return (
              <tr key={`${object._id} ${instant}`}>
                <th scope="row" className="deleted-label">
                  <Link href={objectPath(class_, object._id, justBefore(instant))} className="cell-text">
                    {label}
                  </Link>
                </th>
                <td className="nowrap">{deletedOn}</td>
                <td>{deletedBy ? <span className="user-text">{deletedBy}</span> : <NoValue />}</td>
                <td className="is-narrow">
                  <div className="deleted-actions">
                    {offers(class_, "getVersionPage") && (
                      <ButtonLink
                        isSmall
                        variant="quiet"
                        icon={History}
                        to={paths.history(class_.name, object._id)}
                      >
                        {t("History")}
                      </ButtonLink>
                    )}
                    {isOffered && (
                      <RestoreButton item={item} label={label} class_={class_} onRestore={onRestore} />
                    )}
                  </div>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RestoreButtonProps extends Pick<DeletedTableProps, "class_" | "onRestore"> {
  readonly item: DeletedObject;
  readonly label: string;
}

function RestoreButton({ class_, item, label, onRestore }: RestoreButtonProps) {
  if (!item.restorable)
    return (
      <Badge>{class_.partOf.length > 0 ? t("Comes back with its whole") : t("You can't restore it")}</Badge>
    );
  return (
    <Button
      isSmall
      icon={RotateCcw}
      aria-label={t("Restore {object}", { object: label })}
      onPress={() => onRestore(item)}
    >
      {t("Restore")}
    </Button>
  );
}
