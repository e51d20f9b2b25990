// Asks the GraphQL API.

import { t } from "../messages/messages";
import { type Issue, ServiceError, type ServiceErrorKind } from "./errors";
import { send } from "./request";
import { errorOf } from "./response";
import { serviceSettings } from "./settings";

export type Variables = Readonly<Record<string, unknown>>;

interface GraphQLError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Partial<Issue> & { readonly classification?: string };
}

interface Body<T> {
  readonly data?: T | null;
  readonly errors?: readonly GraphQLError[];
  readonly extensions?: { readonly insight?: Insight; readonly warnings?: readonly string[] };
}

/** What a request has cost: see "insight" in the API. Administrators only. */
export type Insight = Readonly<Record<string, unknown>>;

export interface Answer<T> {
  readonly data: T;
  /** The issues of what was answered with null, such as an attribute that the member may not read. */
  readonly issues: readonly Issue[];
  readonly insight: Insight | null;
}

const FORBIDDEN = new Set(["APPLICATION_ACCESS_FORBIDDEN", "ENTITY_ACCESS_FORBIDDEN"]);

/**
 * Asks the API with a document.
 *
 * A query that is answered in part returns its data, and its issues beside them. Throws a ServiceError with
 * all issues if there are no data, and for each failed mutation. A mutation that is sent again with the same
 * `key` writes nothing twice.
 */
export async function ask<T>(
  document: string,
  variables: Variables = {},
  signal?: AbortSignal,
  key?: string,
): Promise<Answer<T>> {
  const answer = await answerOf<T>(document, variables, signal, key);
  const isMutation = document.trimStart().startsWith("mutation");
  if (isMutation && answer.issues.length > 0) throw refusal(answer.issues);
  return answer;
}

/**
 * Asks the API to write many objects. What was written is returned beside the issues of the others.
 *
 * Throws a ServiceError if nothing was.
 */
export function askInPart<T>(document: string, variables: Variables, key: string): Promise<Answer<T>> {
  return answerOf<T>(document, variables, undefined, key);
}

async function answerOf<T>(
  document: string,
  variables: Variables,
  signal?: AbortSignal,
  key?: string,
): Promise<Answer<T>> {
  const response = await send(serviceSettings().addresses.graphql, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(key ? { "idempotency-key": key } : {}),
    },
    body: JSON.stringify({ query: document, variables }),
    ...(signal ? { signal } : {}),
  });
  if (!response.headers.get("content-type")?.includes("json")) throw await errorOf(response);
  const { data, errors = [], extensions } = (await response.json()) as Body<T>;
  const issues = errors.map(issueOf);
  if (!data || isEmpty(data as object, issues)) throw refusal(issues);
  return { data, issues, insight: extensions?.insight ?? null };
}

/** Whether all fields of an answer are null because of issues. */
function isEmpty(data: object, issues: readonly Issue[]): boolean {
  return issues.length > 0 && Object.values(data).every((value) => value === null);
}

function issueOf({ message, extensions = {} }: GraphQLError): Issue {
  return {
    issueLevel: "ERROR",
    issueType: extensions.classification ?? "SERVER_ERROR",
    userMessage: message,
    ...extensions,
  };
}

/** Returns the error of an answer without data. */
export function refusal(issues: readonly Issue[]): ServiceError {
  const [first] = issues;
  if (!first) return new ServiceError("FAILED", t("The service sent no answer."));
  let kind: ServiceErrorKind = "REFUSED";
  if (first.issueType === "SERVER_ERROR") kind = "FAILED";
  else if (FORBIDDEN.has(first.issueType)) kind = "FORBIDDEN";
  return new ServiceError(kind, first.userMessage, issues);
}
