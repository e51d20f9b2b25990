// The documents that write an object, or say what a write would do.

import { type ModelClass, offers } from "../description/model";
import { pageFields } from "./object";

/** What the console shows of an issue. */
export const ISSUE = `sourceRequestReference userMessage issueLevel issueReferenceType issueType entityID _clientId
  entityName attributeNames roleNames`;

/** How an object is written. */
export type WriteKind = "create" | "update";

const SERVICES = {
  create: { write: "create", validate: "validateCreate", preview: "previewCreate", draft: "DraftCreate" },
  update: { write: "update", validate: "validateUpdate", preview: "previewUpdate", draft: "DraftUpdate" },
} as const;

/** Whether the member may write an object of a class. */
export function canWrite(class_: ModelClass, kind: WriteKind): boolean {
  return offers(class_, SERVICES[kind].write);
}

export function canPreview(class_: ModelClass, kind: WriteKind): boolean {
  return offers(class_, SERVICES[kind].preview);
}

/** Returns the mutation that creates or updates an object, and selects it as `object`. */
export function writeDocument(class_: ModelClass, kind: WriteKind, selection: string): string {
  const type = kind === "create" ? "Create" : "Update";
  const condition = ifRevision(kind);
  return `mutation($data: ${class_.name}${type}!${condition.variable}, $forceWarnings: ForceWarnings) {
    object: ${class_.name}___${kind}(data: $data${condition.value}, forceWarnings: $forceWarnings) {
      ${selection} ${pageFields(class_)}
    }
  }`;
}

/** Returns the query for the issues that a write would have, as `result`. */
export function validateDocument(class_: ModelClass, kind: WriteKind): string | null {
  const { validate, draft } = SERVICES[kind];
  if (!offers(class_, validate)) return null;
  return `query($data: ${class_.name}${draft}!) {
    result: ${class_.name}___${validate}(data: $data) { isValid issues { ${ISSUE} } }
  }`;
}

/**
 * Returns the query for an object as it is, as `before`, and as a write would leave it, as `after`.
 *
 * A new object has no `before`.
 */
export function previewDocument(class_: ModelClass, kind: WriteKind, selection: string): string {
  const { preview, draft } = SERVICES[kind];
  const isSingleton = class_.kind === "SINGLETON";
  const after = `after: ${class_.name}___${preview}(data: $data) { ${selection} }`;
  if (kind === "create") return `query($data: ${class_.name}${draft}!) { ${after} }`;
  const id = isSingleton ? { variable: "", value: "" } : { variable: "$id: ID!, ", value: "(_id: $id)" };
  return `query(${id.variable}$data: ${class_.name}${draft}!) {
    before: ${class_.name}___get${id.value} { ${selection} }
    ${after}
  }`;
}

/** Returns the mutation that deletes an object, as `result`. */
export function deleteDocument(class_: ModelClass): string {
  return `mutation($id: ID!, $ifRevision: ID, $forceWarnings: ForceWarnings) {
    result: ${class_.name}___delete(_id: $id, ifRevision: $ifRevision, forceWarnings: $forceWarnings) { deleted }
  }`;
}

/** Returns the query for the issues of a deletion, as `result`, and for what a selection says of the object. */
export function validateDeleteDocument(class_: ModelClass, selection: string): string {
  const object = selection ? `object: ${class_.name}___get(_id: $id) { ${selection} }` : "";
  return `query($id: ID!) {
    result: ${class_.name}___validateDelete(_id: $id) { isValid issues { ${ISSUE} } }
    ${object}
  }`;
}

function ifRevision(kind: WriteKind): { variable: string; value: string } {
  if (kind === "create") return { variable: "", value: "" };
  return { variable: ", $ifRevision: ID", value: ", ifRevision: $ifRevision" };
}
