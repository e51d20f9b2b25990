// The table of a list's page.

import "../components/table.css";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { MouseEvent } from "react";
import { Link, useLocation } from "wouter";
import { paths } from "../app/routes";
import { Checkbox } from "../components/field";
import { labelOf, type StoredObject } from "../description/stored_object";
import { t } from "../messages/messages";
import { valueTypeOf } from "../values/registry";
import { ValueText } from "../values/value_text";
import { type Column, columnTitle } from "./columns";
import type { List } from "./list";
import type { ListPage } from "./list_query";
import { sortedBy } from "./list_state";
import { RoleCell } from "./role_cell";
import { isSelected, withObject } from "./selection";

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
        <th className="is-narrow list-select">
          <Checkbox
            aria-label={t("Select all on this page")}
            isSelected={items.length > 0 && chosen === items.length}
            isIndeterminate={chosen > 0 && chosen < items.length}
            onChange={selectPage}
          />
        </th>
        <th scope="col" className="list-label">
          {t("Label")}
        </th>
        {list.preferences.columns.map((column) => (
          <Header key={column.name} list={list} column={column} />
        ))}
      </tr>
    </thead>
  );
}

function Header({ list: { state, change }, column }: { readonly list: List; readonly column: Column }) {
  const order = state.order.find(({ attribute }) => attribute === column.name);
  const direction = order && (order.isDescending ? "descending" : "ascending");
  const className = isNumeric(column) ? "is-numeric" : undefined;
  if (!isSortable(column)) {
    return (
      <th scope="col" className={className}>
        {columnTitle(column)}
      </th>
    );
  }
  const Icon = direction ? (order.isDescending ? ArrowDown : ArrowUp) : ChevronsUpDown;
  return (
    <th scope="col" className={className} aria-sort={direction ?? "none"}>
      <button
        type="button"
        className="list-sort"
        onClick={(event) => change({ order: sortedBy(state.order, column.name, event.shiftKey) })}
      >
        {columnTitle(column)}
        <Icon aria-hidden data-idle={!direction || undefined} />
      </button>
    </th>
  );
}

interface RowProps {
  readonly list: List;
  readonly object: StoredObject;
  readonly columns: readonly Column[];
}

function Row({ list: { class_, selection, setSelection }, object, columns }: RowProps) {
  const [, navigate] = useLocation();
  const address = paths.object(class_.name, object._id);
  const label = labelOf(object);
  const isChosen = isSelected(selection, object._id);
  const open = (event: MouseEvent) => {
    const isControl = event.target instanceof Element && event.target.closest("a, button, label, input");
    if (!isControl && !String(window.getSelection())) navigate(address);
  };
  return (
    <tr data-selected={isChosen} onClick={open}>
      <td className="is-narrow list-select">
        <Checkbox
          aria-label={t("Select {label}", { label })}
          isSelected={isChosen}
          onChange={(isAdded) => setSelection(withObject(selection, object._id, isAdded))}
        />
      </td>
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

function isSortable(column: Column): boolean {
  return (
    column.kind === "attribute" &&
    column.attribute.readable === "always" &&
    valueTypeOf(column.attribute).isSortable
  );
}

const SKELETON_ROWS = 12;

/** The table while its first page is read. */
export function SkeletonTable({ list: { preferences } }: { readonly list: List }) {
  const names = ["_select", "_label", ...preferences.columns.map(({ name }) => name)];
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
