// Two states of an object, field by field.

import { type Attribute, isToMany, type Model, type ModelClass, type Role } from "../description/model";
import { titleOf } from "../description/sidebar";
import { labelOf, type StoredObject } from "../description/stored_object";
import { isShownRole, rolesOf } from "../documents/object";
import { isShown } from "../values/registry";
import type { TwoStates } from "./history_query";

/** A field of an object, or of a part of it. */
export interface Row {
  readonly key: string;
  /** The roles and labels of the parts that lead to it. */
  readonly way: readonly string[];
  readonly name: string;
  readonly isChanged: boolean;
  readonly from: Cell;
  readonly to: Cell;
}

/** What a field is in one state. */
export type Cell =
  | { readonly kind: "NOTHING" }
  /** An object that no longer exists, or that the member may not see. */
  | { readonly kind: "GONE" }
  | { readonly kind: "VALUE"; readonly attribute: Attribute; readonly value: unknown }
  /** A value as the service stores it, where its text in the member's format would hide the difference. */
  | { readonly kind: "EXACT"; readonly text: string }
  | { readonly kind: "OBJECTS"; readonly labels: readonly string[]; readonly hasMore: boolean };

const NOTHING: Cell = { kind: "NOTHING" };

/** Where rows are: in the object itself, or in a part. */
interface Place {
  readonly way: readonly string[];
  readonly key: string;
}

const ROOT: Place = { way: [], key: "" };

/** Returns the fields of two states, those that differ first. */
export function compare(
  model: Model,
  class_: ModelClass,
  { from, to, difference }: TwoStates,
): readonly Row[] {
  const changes = new Map(difference?.changes.map((change) => [change.name, change]));
  const rows = rowsOf(model, class_, from, to, ROOT).map((row) => {
    const change = row.way.length > 0 ? undefined : changes.get(row.name);
    if (!change) return row;
    if (isAlike(row)) return { ...row, isChanged: true, from: exact(change.old), to: exact(change.new) };
    return { ...row, isChanged: true, from: stored(row.from, change.old), to: stored(row.to, change.new) };
  });
  return [...rows.filter(({ isChanged }) => isChanged), ...rows.filter(({ isChanged }) => !isChanged)];
}

/** Whether the texts of two values that differ would be the same. */
function isAlike({ from, to }: Row): boolean {
  return from.kind === "VALUE" && to.kind === "VALUE" && isSame(from.value, to.value);
}

/** Returns what a field shows, unless it shows nothing although something is stored. */
function stored(cell: Cell, json: string | null): Cell {
  return cell.kind === "NOTHING" && json !== null && json !== "[]" ? { kind: "GONE" } : cell;
}

function exact(json: string | null): Cell {
  if (json === null) return NOTHING;
  const value: unknown = JSON.parse(json);
  return { kind: "EXACT", text: typeof value === "string" ? value : json };
}

function rowsOf(
  model: Model,
  class_: ModelClass,
  from: StoredObject | null,
  to: StoredObject | null,
  place: Place,
): readonly Row[] {
  const platform = new Set(class_.platformAttributes);
  const attributes = class_.attributes
    .filter((attribute) => isShown(attribute) && !platform.has(attribute.name))
    .map((attribute) => attributeRow(attribute, from, to, place));
  const roles = rolesOf(model, class_).filter((role) => isShownRole(model, role) && role.kind !== "WHOLE");
  const references = roles
    .filter(({ kind }) => kind === "ASSOCIATION")
    .map((role) => roleRow(role, from, to, place));
  const parts = roles
    .filter(({ kind }) => kind === "COMPOSITION")
    .flatMap((role) => partRows(model, role, from, to, place));
  return [...attributes, ...references, ...parts];
}

function attributeRow(
  attribute: Attribute,
  from: StoredObject | null,
  to: StoredObject | null,
  place: Place,
): Row {
  const { name } = attribute;
  const cell = (object: StoredObject | null): Cell => {
    const value = object?.[name] ?? null;
    return value === null ? NOTHING : { kind: "VALUE", attribute, value };
  };
  const isChanged = !isSame(plain(from?.[name]), plain(to?.[name]));
  return { ...placed(place, name), name, isChanged, from: cell(from), to: cell(to) };
}

/** Returns a value without the link of a file, which names the version. */
function plain(value: unknown): unknown {
  if (!value || typeof value !== "object") return value ?? null;
  const { link: _, ...rest } = value as Record<string, unknown>;
  return rest;
}

function roleRow(role: Role, from: StoredObject | null, to: StoredObject | null, place: Place): Row {
  const [old, now] = [pageOf(role, from), pageOf(role, to)];
  const ids = ({ items }: Page) => items.map(({ _id }) => _id).sort();
  const cell = ({ items, hasNext }: Page): Cell =>
    items.length === 0 ? NOTHING : { kind: "OBJECTS", labels: items.map(labelOf), hasMore: hasNext };
  const isChanged = !isSame(ids(old), ids(now));
  return { ...placed(place, role.name), name: role.name, isChanged, from: cell(old), to: cell(now) };
}

/** Returns the fields of the parts of a role. A part that is in one state only is one row. */
function partRows(
  model: Model,
  role: Role,
  from: StoredObject | null,
  to: StoredObject | null,
  place: Place,
): readonly Row[] {
  const target = model.of(role.target);
  const [old, now] = [pageOf(role, from), pageOf(role, to)];
  const ids = [...new Set([...now.items, ...old.items].map(({ _id }) => _id))];
  return ids.flatMap((id) => {
    const [before, after] = [old, now].map(({ items }) => items.find(({ _id }) => _id === id) ?? null) as [
      StoredObject | null,
      StoredObject | null,
    ];
    const named = after ?? before;
    if (!named) return [];
    const rows = rowsOf(model, target, before, after, {
      way: [...place.way, titleOf(role.name), ...(named._label ? [named._label] : [])],
      key: `${place.key}${role.name}:${id}/`,
    });
    if (before && after) return rows;
    // A part that the other page doesn't have may only be after its end.
    const isUnread = before ? now.hasNext : old.hasNext;
    return isUnread ? [] : rows.filter((row) => row.isChanged);
  });
}

interface Page {
  readonly items: readonly StoredObject[];
  readonly hasNext: boolean;
}

function pageOf(role: Role, object: StoredObject | null): Page {
  const found = object?.[role.name];
  if (!found) return { items: [], hasNext: false };
  return isToMany(role) ? (found as Page) : { items: [found as StoredObject], hasNext: false };
}

function placed({ way, key }: Place, name: string) {
  return { way, key: key + name };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
