// The documents of an object's versions, and of deleted objects.

import { type ModelClass, offers } from "../description/model";
import { quote } from "./selection";

/** The platform attribute that says who has made a version. */
const AUTHOR = "_lastmodifiedby";

/** How many versions, or deleted objects, are read at a time. Each version needs an alias in `changesDocument`. */
export const HISTORY_PAGE = 20;

/** Whether the member may see who has made the versions of a class. */
export function showsAuthor(class_: ModelClass): boolean {
  return class_.attributes.some(({ name, readable }) => name === AUTHOR && readable !== "never");
}

/** Returns the argument that names an object, before others. A singleton has none. */
function idArgument(class_: ModelClass): { readonly variable: string; readonly value: string } {
  const isSingleton = class_.kind === "SINGLETON";
  return isSingleton ? { variable: "", value: "" } : { variable: "$id: ID!, ", value: "_id: $id, " };
}

/** Returns the document of a page of versions, as `page`. Its variables are `id` and `options`. */
export function versionPageDocument(class_: ModelClass): string {
  const { variable, value } = idArgument(class_);
  const author = showsAuthor(class_) ? AUTHOR : "";
  return `query(${variable}$options: ${class_.name}PageOptions) {
    page: ${class_.name}___getVersionPage(${value}options: $options) {
      items {
        _label _revision ${author}
        startText: _versionStart endText: _versionEnd
        start: _versionStart(format: "iso") end: _versionEnd(format: "iso")
      }
      hasNext nextCursor
    }
  }`;
}

/** Two instants in ISO 8601, of which the first may be the later one. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** Returns the document of what has changed in several spans, as `changes0`, `changes1`, … */
export function changesDocument(class_: ModelClass, spans: readonly Span[]): string {
  const { value } = idArgument(class_);
  const fields = spans.map(
    ({ from, to }, index) =>
      `changes${index}: ${class_.name}___getVersionDiff(${value}from: ${quote(from)}, to: ${quote(to)}) {
        changes { name changedBy }
      }`,
  );
  return `query${class_.kind === "SINGLETON" ? "" : "($id: ID!)"} { ${fields.join(" ")} }`;
}

/**
 * Returns the document of two states of an object as `from` and `to`, and of what differs, as `difference`.
 *
 * `selection` is that of the object as it is shown. Its variables are `id`, `from` and `to`.
 */
export function comparisonDocument(class_: ModelClass, selection: string): string {
  const { variable, value } = idArgument(class_);
  const state = (name: string) =>
    `${name}: ${class_.name}___getVersion(${value}atVersion: $${name}) { ${selection} }`;
  return `query(${variable}$from: Datetime!, $to: Datetime!) {
    difference: ${class_.name}___getVersionDiff(${value}from: $from, to: $to) { changes { name old new } }
    ${state("from")}
    ${state("to")}
  }`;
}

export function canCompare(class_: ModelClass): boolean {
  return offers(class_, "getVersionDiff") && offers(class_, "getVersion");
}

/** Returns the mutation that restores an object, as `object`. */
export function restoreDocument(class_: ModelClass): string {
  const { variable, value } = idArgument(class_);
  const variables = `${variable}$atVersion: Datetime!, $ifRevision: ID, $forceWarnings: ForceWarnings`;
  const values = `${value}atVersion: $atVersion, ifRevision: $ifRevision, forceWarnings: $forceWarnings`;
  return `mutation(${variables}) { object: ${class_.name}___restoreVersion(${values}) { _id _revision } }`;
}

/** Returns the document of a page of deleted objects, as `page`. Its variable is `options`. */
export function deletedPageDocument(class_: ModelClass): string {
  return `query($options: ${class_.name}___DeletedPageOptions) {
    page: ${class_.name}___getDeletedPage(options: $options) {
      items {
        object { _id _label start: _versionStart(format: "iso") }
        deletedOn instant: deletedOn(format: "iso") deletedBy restorable
      }
      hasNext nextCursor
    }
  }`;
}
