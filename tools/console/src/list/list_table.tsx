// The table of a list's page.

import "../components/table.css";
import type { MouseEvent } from "react";
import { Link, useLocation } from "wouter";
import { paths } from "../app/routes";
import { Checkbox } from "../components/field";
import { titleOf } from "../description/sidebar";
import { labelOf, type StoredObject } from "../description/stored_object";
import { t } from "../messages/messages";
import { valueTypeOf } from "../values/registry";
import { ValueText } from "../values/value_text";
import { type Column, columnTitle, hasLabels, isSortable, labelParts } from "./columns";
import { isSelectable, type List } from "./list";
import type { ListPage } from "./list_query";
import { type Order, sortedBy } from "./list_state";
import { RoleCell } from "./role_cell";
import { isSelected, withObject } from "./selection";
import { SortHeader } from "./sort_header";

interface ListTableProps {
  readonly list: List;
  readonly page: ListPage;
}

export function ListTable({ list, page }: ListTableProps) {
  const { query, preferences } = list;
  return (
    <div className="table-frame list-frame" data-busy={query.isPlaceholderData || undefined}>
      <table className="table" aria-busy={query.isPlaceholderData}>
        <Head list={list} items={page.items} />
        <tbody>
          {page.items.map((object) => (
            <Row key={object._id} list={list} object={object} columns={preferences.columns} />
          ))}
        </tbody>
      </table>
      <span className="visually-hidden" role="status">
        {query.isPlaceholderData ? t("Loading…") : ""}
      </span>
    </div>
  );
}

function Head({ list, items }: { readonly list: List; readonly items: readonly StoredObject[] }) {
  const { selection, setSelection } = list;
  const chosen = items.filter(({ _id }) => isSelected(selection, _id)).length;
  const selectPage = (isAdded: boolean) =>
    setSelection(items.reduce((now, { _id }) => withObject(now, _id, isAdded), selection));
  return (
    <thead>
      <tr>
        {isSelectable(list) && (
          <th className="is-narrow list-select">
            <Checkbox
              aria-label={t("Select all on this page")}
              isSelected={items.length > 0 && chosen === items.length}
              isIndeterminate={chosen > 0 && chosen < items.length}
              onChange={selectPage}
            />
          </th>
        )}
        <LabelHeader list={list} />
        {list.preferences.columns.map((column) => (
          <Header key={column.name} list={list} column={column} />
        ))}
      </tr>
    </thead>
  );
}

/** The header of the labels, which sorts by what they are made of. */
function LabelHeader({ list: { class_, state, change } }: { readonly list: List }) {
  const parts = labelParts(class_);
  const [first] = parts;
  const order = state.order.find(({ attribute }) => attribute === first);
  const next = sortedBy(order ? [order] : [], first ?? "");
  const sort = () =>
    change({ order: next.length > 0 ? parts.map((attribute) => ({ ...next[0], attribute }) as Order) : [] });
  return (
    <SortHeader
      title={hasLabels(class_) ? titleOf(class_.name) : t("ID")}
      className="list-label"
      direction={order ? (order.isDescending ? "descending" : "ascending") : null}
      onSort={first === undefined ? null : sort}
    />
  );
}

function Header({ list: { state, change }, column }: { readonly list: List; readonly column: Column }) {
  const order = state.order.find(({ attribute }) => attribute === column.name);
  const sort = (isAdded: boolean) => change({ order: sortedBy(state.order, column.name, isAdded) });
  return (
    <SortHeader
      title={columnTitle(column)}
      isNumeric={isNumeric(column)}
      direction={order ? (order.isDescending ? "descending" : "ascending") : null}
      onSort={isSortable(column) ? sort : null}
    />
  );
}

interface RowProps {
  readonly list: List;
  readonly object: StoredObject;
  readonly columns: readonly Column[];
}

function Row({ list, object, columns }: RowProps) {
  const { class_, selection, setSelection } = list;
  const [, navigate] = useLocation();
  const address = paths.object(class_.name, object._id);
  const label = labelOf(object);
  const isChosen = isSelected(selection, object._id);
  const open = (event: MouseEvent) => {
    const isControl = event.target instanceof Element && event.target.closest("a, button, label, input");
    // A click with a key, or the end of a selection of text, means something else.
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !String(window.getSelection());
    if (!isControl && isPlain) navigate(address);
  };
  return (
    <tr data-selected={isChosen} onClick={open}>
      {isSelectable(list) && (
        <td className="is-narrow list-select">
          <Checkbox
            aria-label={t("Select {label}", { label })}
            isSelected={isChosen}
            onChange={(isAdded) => setSelection(withObject(selection, object._id, isAdded))}
          />
        </td>
      )}
      <th scope="row" className="list-label">
        <Link href={address} className="cell-text">
          {label}
        </Link>
      </th>
      {columns.map((column) => (
        <td key={column.name} className={isNumeric(column) ? "is-numeric" : undefined}>
          {column.kind === "attribute" ? (
            <span className="cell-text">
              <ValueText attribute={column.attribute} value={object[column.name]} />
            </span>
          ) : (
            <RoleCell value={object[column.name]} role={column.role} />
          )}
        </td>
      ))}
    </tr>
  );
}

function isNumeric(column: Column): boolean {
  return column.kind === "attribute" && valueTypeOf(column.attribute).isNumeric;
}

const SKELETON_ROWS = 12;

/** The table while its first page is read. */
export function SkeletonTable({ list }: { readonly list: List }) {
  const { preferences } = list;
  const names = [
    ...(isSelectable(list) ? ["_select"] : []),
    "_label",
    ...preferences.columns.map(({ name }) => name),
  ];
  return (
    <div className="table-frame" role="status" aria-label={t("Loading…")}>
      <table className="table" aria-hidden>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} className={name === "_select" ? "is-narrow" : undefined} />
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: SKELETON_ROWS }, (_, index) => index).map((row) => (
            <tr key={row}>
              {names.map((name) => (
                <td key={name}>{name !== "_select" && <div className="skeleton" />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
