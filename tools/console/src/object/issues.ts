// Where issues of a write belong: at the field of an object or of a part, or to the form as a whole.

import { t } from "../messages/messages";
import type { Issue } from "../service/errors";
import { type Draft, type DraftPath, partPath, ROOT } from "./draft";

/** Everything that is wrong with a draft, by place. */
export interface PlacedIssues {
  /** The issues of a field, by `fieldKey`. */
  readonly fields: ReadonlyMap<string, readonly Issue[]>;
  /** The issues of parts that belong to none of their fields, by the part's path. */
  readonly objects: ReadonlyMap<DraftPath, readonly Issue[]>;
  /** The issues of the object itself, and those whose place the form doesn't show. */
  readonly form: readonly Issue[];
}

export const NO_ISSUES: PlacedIssues = { fields: new Map(), objects: new Map(), form: [] };

/** Returns what names a field of the form: the place of its object, and the attribute or role. */
export function fieldKey(path: DraftPath, name: string): string {
  return `${path}.${name}`;
}

/**
 * Returns issues by the place in a draft that they are about.
 *
 * `isShown` says whether the form shows a field of a class. Issues of others go to the form.
 */
export function placeIssues(
  issues: readonly Issue[],
  draft: Draft,
  isShown: (className: string, field: string) => boolean,
): PlacedIssues {
  const places = placesOf(draft);
  const fields = new Map<string, Issue[]>();
  const objects = new Map<DraftPath, Issue[]>();
  const form: Issue[] = [];
  for (const issue of issues) {
    const place = placeOf(issue, places);
    const names = [...(issue.attributeNames ?? []), ...(issue.roleNames ?? [])].filter(
      (name) => place && isShown(place.draft.className, name),
    );
    if (place && names.length > 0) for (const name of names) push(fields, fieldKey(place.path, name), issue);
    else if (place && place.path !== ROOT) push(objects, place.path, issue);
    else form.push(issue);
  }
  return { fields, objects, form };
}

interface Place {
  readonly path: DraftPath;
  readonly draft: Draft;
}

function placesOf(draft: Draft, path: DraftPath = ROOT): readonly Place[] {
  const deeper = Object.entries(draft.parts).flatMap(([role, { drafts }]) =>
    drafts
      .filter(({ isDeleted }) => !isDeleted)
      .flatMap((part) => placesOf(part, partPath(path, role, part))),
  );
  return [{ path, draft }, ...deeper];
}

function placeOf(issue: Issue, places: readonly Place[]): Place | undefined {
  const { _clientId: clientId, entityID: id, entityName } = issue;
  const isOfClass = ({ draft }: Place) => !entityName || draft.className === entityName;
  if (clientId) return places.find(({ draft }) => draft.id === null && draft.clientId === clientId);
  if (id) return places.find((place) => place.draft.id === id && isOfClass(place));
  // An object that is created has no id yet. The form's own has none to name it but its class.
  return places.find((place) => place.path === ROOT && isOfClass(place));
}

function push<K>(map: Map<K, Issue[]>, key: K, issue: Issue): void {
  const found = map.get(key);
  if (found) found.push(issue);
  else map.set(key, [issue]);
}

/** Returns the messages of issues of a level as one text, without the class and the attribute before them. */
export function messagesOf(
  issues: readonly Issue[] | undefined,
  level: Issue["issueLevel"],
): string | undefined {
  const found = (issues ?? []).filter(({ issueLevel }) => issueLevel === level);
  return found.length > 0 ? found.map(shortMessage).join(" ") : undefined;
}

/** Returns the message of an issue as it stands at its field. */
export function shortMessage({ userMessage, issueType }: Issue): string {
  if (issueType === "ATTRIBUTE_REQUIRED") return t("This field is required.");
  const text = userMessage.replace(/^\w+\.\w+:? /, "");
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** Whether a member may go on in spite of issues: all of them are warnings. */
export function areWarnings(issues: readonly Issue[]): boolean {
  return issues.length > 0 && issues.every(({ issueLevel }) => issueLevel === "WARNING");
}

/** Returns the object as it is now, if that is why a write was refused. */
export function currentOf(issues: readonly Issue[]): Readonly<Record<string, unknown>> | null {
  return issues.find(({ current }) => current)?.current ?? null;
}

/** Whether a write was refused because the object itself no longer exists for the member. */
export function isDeletedMeanwhile(issues: readonly Issue[], className: string, id: string): boolean {
  return issues.some(
    ({ issueType, entityName, entityID, roleNames }) =>
      issueType === "ENTITY_NOT_FOUND" &&
      entityName === className &&
      entityID === id &&
      (roleNames ?? []).length === 0,
  );
}

const MISSING = new Set(["ATTRIBUTE_REQUIRED", "ROLE_CARDINALITY"]);

/** Whether an issue says that something isn't filled in yet. */
export function isMissing({ issueType }: Issue): boolean {
  return MISSING.has(issueType);
}
