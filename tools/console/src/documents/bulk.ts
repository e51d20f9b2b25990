// The documents that write many objects of a class, or say what that would do.

import { type ModelClass, offers } from "../description/model";
import { ISSUE } from "./write";

export type BulkKind = "update" | "delete";

const SERVICES = {
  update: { write: "updateBulk", validate: "validateUpdateBulk" },
  delete: { write: "deleteBulk", validate: "validateDeleteBulk" },
} as const;

/** Whether the member may do it with many objects of a class. */
export function canWriteMany(class_: ModelClass, kind: BulkKind): boolean {
  return offers(class_, SERVICES[kind].write);
}

/**
 * Returns the query that counts the objects of `$options`, and has the issues that a write of those of `$checked`
 * would meet as `result`.
 */
export function checkManyDocument(class_: ModelClass, kind: BulkKind): string {
  const { name } = class_;
  const { validate } = SERVICES[kind];
  const data = dataOf(name, kind, "DraftUpdateBulk");
  const result = `result: ${name}___${validate}(${data.value}options: $checked) { isValid issues { ${ISSUE} } }`;
  return `query(${data.variable}$options: ${name}PageOptions!, $checked: ${name}PageOptions!) {
    page: ${name}___getPage(options: $options) { totalCount }
    ${offers(class_, validate) ? result : ""}
  }`;
}

/** Returns the query for the ids of a page. */
export function idsDocument({ name }: ModelClass): string {
  return `query($options: ${name}PageOptions!) {
    page: ${name}___getPage(options: $options) { items { _id } nextCursor hasNext }
  }`;
}

/** Returns the mutation that writes the objects of `$options`. `result` says how many were, and of an update which. */
export function writeManyDocument({ name }: ModelClass, kind: BulkKind): string {
  const data = dataOf(name, kind, "UpdateBulk");
  const written = kind === "update" ? "done: totalCount items { _id }" : "done: deleted";
  return `mutation(${data.variable}$options: ${name}PageOptions!, $forceWarnings: ForceWarnings) {
    result: ${name}___${SERVICES[kind].write}(
      ${data.value}options: $options, forceWarnings: $forceWarnings
    ) { ${written} }
  }`;
}

function dataOf(name: string, kind: BulkKind, type: string): { variable: string; value: string } {
  if (kind === "delete") return { variable: "", value: "" };
  return { variable: `$data: ${name}${type}!, `, value: "data: $data, " };
}
