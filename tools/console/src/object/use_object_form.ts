// The state of the form of one object: what is typed, what is wrong with it, and whether it is saved.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Model, ModelClass } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { asServiceError, type Issue, type ServiceError } from "../service/errors";
import { isChanged } from "./changes";
import { changeAt, type Draft, draftAt, withParts } from "./draft";
import type { FormActions, FormContextValue } from "./form_context";
import {
  areWarnings,
  currentOf,
  fieldKey,
  isMissing,
  NO_ISSUES,
  type PlacedIssues,
  placeIssues,
} from "./issues";
import { hasProblems, withoutProblems } from "./problems";
import { draftOf } from "./reading";
import { useValidation } from "./use_validation";
import { inputOf, Writer } from "./writing";

export interface ObjectForm {
  readonly model: Model;
  readonly class_: ModelClass;
  readonly draft: Draft;
  /** The draft as it was read. */
  readonly original: Draft;
  /** The issues that the form shows at the moment. */
  readonly issues: PlacedIssues;
  readonly actions: FormActions;
  /** What the fields share. */
  readonly context: FormContextValue;
  readonly isChanged: boolean;
  /** Whether the draft is changed at this moment, also by what a field has just handed over. */
  isChangedNow(): boolean;
  readonly isSaving: boolean;
  /** Why the last attempt to save has failed, until something is changed. */
  readonly failure: ServiceError | null;
  /** Whether only warnings keep the draft from being saved. */
  readonly isForceable: boolean;
  /** The object as it is now, if another revision is why saving has failed. */
  readonly current: StoredObject | null;
  /** How often saving was tried in vain. */
  readonly attempts: number;
  /** Saves the draft, and returns the object, or null if that failed. */
  save(isForced?: boolean): Promise<StoredObject | null>;
  /** Shows issues that the service has found. */
  judge(issues: readonly Issue[]): void;
  /** Returns what saving would send. */
  input(): Record<string, unknown>;
  /** Goes back to what was read. */
  discard(): void;
  /** Begins anew with an object, and with a draft of it. */
  reset(original: Draft, draft?: Draft): void;
}

interface FormOptions {
  readonly model: Model;
  readonly class_: ModelClass;
  /** The draft as it was read, or of a new object without any value. */
  readonly original: Draft;
  /** The draft to begin with, unless it is the original. */
  readonly initial?: Draft | undefined;
  readonly asOf?: string | null;
}

interface Drafts {
  readonly draft: Draft;
  readonly original: Draft;
}

interface Judgement {
  readonly issues: readonly Issue[];
  readonly failure: ServiceError | null;
  /** The fields that were changed since. */
  readonly stale: ReadonlySet<string>;
}

const NO_JUDGEMENT: Judgement = { issues: [], failure: null, stale: new Set() };

export function useObjectForm({ model, class_, original, initial, asOf = null }: FormOptions): ObjectForm {
  const [drafts, setDrafts] = useState<Drafts>({ draft: initial ?? original, original });
  const [judgement, setJudgement] = useState(NO_JUDGEMENT);
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [attempts, setAttempts] = useState(0);
  const [isSaving, setSaving] = useState(false);
  const latest = useRef(drafts);
  const writer = useMemo(() => new Writer(model, class_), [model, class_]);

  const update = useCallback((change: (drafts: Drafts) => Drafts) => {
    latest.current = change(latest.current);
    setDrafts(latest.current);
  }, []);

  const kind = drafts.original.id === null ? "create" : "update";
  const { validateSoon, cancel } = useValidation(
    class_,
    kind,
    () =>
      inputOf(withoutProblems(model, latest.current.draft), withoutProblems(model, latest.current.original)),
    (issues) =>
      // Leaving a field, also for a dialog, doesn't answer why saving was refused. A change does.
      setJudgement((found) => (found.failure?.issues.length ? found : { ...NO_JUDGEMENT, issues })),
  );

  const actions = useMemo<FormActions>(
    () => ({
      change(path, field, change) {
        const before = latest.current.draft;
        update(({ draft, original }) => ({ draft: changeAt(draft, path, change), original }));
        // A field that is left hands over its value once more, also while a dialog opens.
        if (!isChanged(latest.current.draft, before)) return;
        setJudgement((found) => {
          const key = fieldKey(path, field);
          if (found === NO_JUDGEMENT || (found.stale.has(key) && !found.failure)) return found;
          // Whoever changes something must see the warnings of the new draft before they pass.
          const failure = found.failure?.issues.length === 0 ? found.failure : null;
          return { ...found, failure, stale: new Set([...found.stale, key]) };
        });
      },
      leave(path, field) {
        setVisited((found) => new Set([...found, fieldKey(path, field)]));
        const { draft, original } = latest.current;
        if (isChanged(draft, original)) validateSoon();
      },
      addRead(path, role, parts) {
        const add = (draft: Draft) => {
          const found = draftAt(draft, path);
          if (!found) return draft;
          const known = found.parts[role]?.drafts ?? [];
          const added = parts.drafts.filter(({ id }) => !known.some((each) => each.id === id));
          const all = { ...parts, drafts: [...known, ...added] };
          return changeAt(draft, path, (each) => withParts(each, role, all));
        };
        update(({ draft, original }) => ({ draft: add(draft), original: add(original) }));
      },
    }),
    [update, validateSoon],
  );

  const reset = useCallback(
    (original: Draft, draft = original) => {
      cancel();
      update(() => ({ draft, original }));
      setJudgement(NO_JUDGEMENT);
      setVisited(new Set());
      setAttempts(0);
    },
    [cancel, update],
  );

  async function save(isForced = false): Promise<StoredObject | null> {
    const { draft, original } = latest.current;
    if (isSaving) return null;
    cancel();
    if (hasProblems(model, draft)) {
      setAttempts((count) => count + 1);
      return null;
    }
    setSaving(true);
    try {
      const stored = await writer.write(draft, original, isForced);
      reset(draftOf(model, class_, stored));
      return stored;
    } catch (thrown) {
      const failure = asServiceError(thrown);
      setJudgement({ ...NO_JUDGEMENT, issues: failure.issues, failure });
      setAttempts((count) => count + 1);
      return null;
    } finally {
      setSaving(false);
    }
  }

  // What is typed moves no issue to another place.
  const issues = useMemo(() => {
    if (judgement.issues.length === 0) return NO_ISSUES;
    const isShown = (className: string, field: string) => hasField(model, className, field);
    const placed = placeIssues(judgement.issues, latest.current.draft, isShown);
    const fields = [...placed.fields].filter(
      ([key, found]) =>
        !judgement.stale.has(key) && (attempts > 0 || visited.has(key) || !found.every(isMissing)),
    );
    const isEarly = (issue: Issue) => attempts === 0 && isMissing(issue);
    return { ...placed, fields: new Map(fields), form: placed.form.filter((issue) => !isEarly(issue)) };
  }, [model, judgement, attempts, visited]);

  useEffect(() => {
    // Messages move the fields below them, and an open list must follow its field. It listens to the window.
    if (issues.fields.size > 0) window.dispatchEvent(new Event("resize"));
  }, [issues]);

  const changed = useMemo(() => isChanged(drafts.draft, drafts.original), [drafts]);
  const { failure } = judgement;
  const objectId = drafts.original.id;
  const context = useMemo(
    () => ({ model, class_, objectId, asOf, actions }),
    [model, class_, objectId, asOf, actions],
  );
  return {
    model,
    class_,
    ...drafts,
    issues,
    actions,
    context,
    isChanged: changed,
    isChangedNow: () => isChanged(latest.current.draft, latest.current.original),
    isSaving,
    failure,
    isForceable: failure !== null && areWarnings(failure.issues),
    current: failure ? (currentOf(failure.issues) as StoredObject | null) : null,
    attempts,
    save,
    judge(issues) {
      setJudgement({ ...NO_JUDGEMENT, issues });
      setAttempts((count) => count + 1);
    },
    input: () => inputOf(drafts.draft, drafts.original),
    discard: () => reset(drafts.original),
    reset,
  };
}

function hasField(model: Model, className: string, field: string): boolean {
  const { attributes = [], roles = [] } = model.find(className) ?? {};
  return [...attributes, ...roles].some(
    ({ name, creatable, editable }) => name === field && (creatable !== "never" || editable !== "never"),
  );
}

/** Shows the first field that is wrong, after an attempt to save that failed. */
export function useFocusOnFailure(attempts: number, formId: string): void {
  useEffect(() => {
    if (attempts === 0) return;
    const form = document.getElementById(formId);
    const invalid = form?.querySelector<HTMLElement>(
      ":is(input, textarea, select, button, [tabindex])[aria-invalid='true'], [data-invalid] :is(input, textarea, select, button, [tabindex])",
    );
    (invalid ?? form?.querySelector<HTMLElement>("[data-failure]"))?.focus();
  }, [attempts, formId]);
}
