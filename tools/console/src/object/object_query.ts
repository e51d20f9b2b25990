// Reads one object for its page.

import { queryOptions } from "@tanstack/react-query";
import type { Attribute, Model, ModelClass } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { type ObjectMode, objectDocument } from "../documents/object";
import { ask, type Variables } from "../service/graphql";
import { loadEditors } from "../values/registry";

/** Returns the document that reads an object, and its variables. */
export function objectRequest(
  model: Model,
  class_: ModelClass,
  id: string,
  mode: ObjectMode,
  asOf: string | null,
): { readonly document: string; readonly variables: Variables } {
  return {
    document: objectDocument(model, class_, mode, asOf !== null),
    variables: {
      ...(class_.kind === "SINGLETON" ? {} : { id }),
      ...(asOf === null ? {} : { atVersion: asOf }),
    },
  };
}

/** Returns the query for an object of a class, as of an instant or, if that is null, as it is now. */
export function objectQuery(
  model: Model,
  class_: ModelClass,
  id: string,
  mode: ObjectMode,
  asOf: string | null = null,
) {
  return queryOptions({
    queryKey: objectKey(class_.name, id, mode, asOf),
    queryFn: async ({ signal }) => {
      const { document, variables } = objectRequest(model, class_, id, mode, asOf);
      const [{ data }] = await Promise.all([
        ask<{ object: StoredObject | null }>(document, variables, signal),
        mode === "edited" ? loadEditors(formAttributes(model, class_)) : undefined,
      ]);
      return data.object;
    },
    // Drafts tell by identity whether the object was read anew.
    structuralSharing: false,
  });
}

/** Returns the attributes of an object, and of its parts, which its form shows with it. */
function formAttributes(model: Model, class_: ModelClass): readonly Attribute[] {
  const parts = class_.roles.filter(({ kind }) => kind === "COMPOSITION");
  return [class_, ...parts.map(({ target }) => model.find(target))].flatMap((each) => each?.attributes ?? []);
}

export function objectKey(className: string, id: string, mode: ObjectMode, asOf: string | null) {
  return ["object", className, id, mode, asOf] as const;
}
