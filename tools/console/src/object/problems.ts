// What is obviously wrong with values before the service is asked, such as a number that is none.

import type { Model } from "../description/model";
import { problemOf } from "../values/registry";
import type { Draft } from "./draft";

/** Whether a draft has a value that can't be sent. */
export function hasProblems(model: Model, draft: Draft): boolean {
  if (draft.isDeleted) return false;
  return (
    namesOfProblems(model, draft).length > 0 ||
    Object.values(draft.parts).some(({ drafts }) => drafts.some((part) => hasProblems(model, part)))
  );
}

/** Returns a draft without the values that can't be sent, so that the others can be validated. */
export function withoutProblems(model: Model, draft: Draft): Draft {
  const values = { ...draft.values };
  for (const name of namesOfProblems(model, draft)) delete values[name];
  const parts = Object.entries(draft.parts).map(([role, found]) => {
    const drafts = found.drafts.map((part) => withoutProblems(model, part));
    return [role, { ...found, drafts }] as const;
  });
  return { ...draft, values, parts: Object.fromEntries(parts) };
}

function namesOfProblems(model: Model, draft: Draft): readonly string[] {
  return model
    .of(draft.className)
    .attributes.filter((attribute) => problemOf(attribute, draft.values[attribute.name]) !== null)
    .map(({ name }) => name);
}
