// The requests of a list: one for each page, and one to count exactly.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAsOf } from "../as_of/as_of";
import { type Model, type ModelClass, offers } from "../description/model";
import { labelOf, type StoredObject } from "../description/stored_object";
import { useModel } from "../description/use_model";
import { countDocument, listDocument, type NamedObject } from "../documents/list";
import { ask, refusal, type Variables } from "../service/graphql";
import type { Column } from "./columns";
import { type Condition, namedObject, subjectOf } from "./filter/condition";
import { type ListState, optionsOf, pageOptions } from "./list_state";

export interface ListPage {
  readonly items: readonly StoredObject[];
  readonly totalCountUpTo: { readonly count: number; readonly more: boolean };
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly hasNext: boolean;
  readonly hasPrev: boolean;
}

/** The page, and objects that conditions name. */
type ListAnswer = Readonly<Record<string, unknown>>;

/** Returns the instant that the list of a class shows, null for now and for classes that keep no versions. */
export function useInstant(class_: ModelClass): string | null {
  const asOf = useAsOf();
  return class_.versioned ? asOf : null;
}

/** A document, and the values of its variables. */
export interface ListRequest {
  readonly document: string;
  readonly variables: Variables;
  readonly named: readonly NamedObject[];
}

/** Returns the request of the page that a list shows. */
export function useListRequest(
  class_: ModelClass,
  state: ListState,
  columns: readonly Column[],
  size: number,
): ListRequest {
  const model = useModel();
  const atVersion = useInstant(class_);
  const named = namedObjects(state.conditions, class_, model);
  return {
    document: listDocument(class_, { ...selectionOf(columns), named }, atVersion !== null),
    variables: variablesOf(pageOptions(state, class_, size), atVersion),
    named,
  };
}

/** Reads the page of a list. While it reads another page, it returns the one before. */
export function useListPage(class_: ModelClass, request: ListRequest, isWanted = true) {
  const { document, variables, named } = request;
  return useQuery({
    queryKey: ["list", class_.name, document, variables],
    queryFn: async ({ signal }) => {
      const { data, issues } = await ask<ListAnswer>(document, variables, signal);
      const { page, ...answered } = data;
      if (!page) throw refusal(issues);
      return { ...(page as ListPage), issues, labels: labelsOf(named, answered) };
    },
    placeholderData: keepPreviousData,
    enabled: isWanted,
  });
}

/** Counts the objects of a list exactly, once `isWanted`. */
export function useExactCount(class_: ModelClass, state: ListState, isWanted: boolean) {
  const atVersion = useInstant(class_);
  const options = optionsOf(state, class_);
  return useQuery({
    queryKey: ["list", class_.name, "count", options, atVersion],
    queryFn: async ({ signal }) => {
      const document = countDocument(class_, atVersion !== null);
      const { data } = await ask<{ page: { totalCount: number } }>(
        document,
        variablesOf(options, atVersion),
        signal,
      );
      return data.page.totalCount;
    },
    enabled: isWanted,
  });
}

/** Returns the objects that conditions name, and whose labels the member may ask for. */
function namedObjects(conditions: readonly Condition[], class_: ModelClass, model: Model): NamedObject[] {
  return conditions.flatMap((condition) => {
    const id = namedObject(condition);
    const subject = subjectOf(class_, condition.field);
    const target = subject?.kind === "role" && model.find(subject.role.target);
    return id !== null && target && offers(target, "get") ? [{ className: target.name, id }] : [];
  });
}

/** Returns the labels of named objects by id. One that no longer exists has only its id. */
function labelsOf(named: readonly NamedObject[], answered: ListAnswer): ReadonlyMap<string, string> {
  const found = Object.values(answered).filter(Boolean) as readonly StoredObject[];
  return new Map([
    ...named.map(({ id }) => [id, id] as const),
    ...found.map((each) => [each._id, labelOf(each)] as const),
  ]);
}

function variablesOf(options: object, atVersion: string | null): Variables {
  return atVersion === null ? { options } : { options, atVersion };
}

function selectionOf(columns: readonly Column[]) {
  return {
    attributes: columns.filter((each) => each.kind === "attribute").map(({ attribute }) => attribute),
    roles: columns.filter((each) => each.kind === "role").map(({ role }) => role),
  };
}
