// Asks the service what is wrong with a draft, when a field is left. Only the latest answer counts.

import { useCallback, useEffect, useRef } from "react";
import type { ModelClass } from "../description/model";
import { validateDocument, type WriteKind } from "../documents/write";
import type { Issue } from "../service/errors";
import { ask } from "../service/graphql";

/** Milliseconds in which a member may go on to the next field. */
const PAUSE = 300;

interface Answer {
  readonly result: { readonly issues: readonly Issue[] } | null;
}

/** Returns the issues that a write would have. None if the member may not ask. */
export async function validate(
  class_: ModelClass,
  kind: WriteKind,
  data: object,
  signal?: AbortSignal,
): Promise<readonly Issue[]> {
  const document = validateDocument(class_, kind);
  if (!document) return [];
  const { data: answer, issues } = await ask<Answer>(document, { data }, signal);
  return answer.result?.issues ?? issues;
}

/**
 * Returns a function that validates soon, unless it is called again before.
 *
 * A request that fails leaves the form as it is: saving says what is wrong with the service.
 */
export function useValidation(
  class_: ModelClass,
  kind: WriteKind,
  inputOf: () => object,
  onIssues: (issues: readonly Issue[]) => void,
): { readonly validateSoon: () => void; readonly cancel: () => void } {
  const latest = useRef({ class_, kind, inputOf, onIssues });
  latest.current = { class_, kind, inputOf, onIssues };
  const running = useRef<{ timer: number; abort: AbortController } | null>(null);

  const cancel = useCallback(() => {
    if (!running.current) return;
    clearTimeout(running.current.timer);
    running.current.abort.abort();
    running.current = null;
  }, []);

  const validateSoon = useCallback(() => {
    cancel();
    const abort = new AbortController();
    const timer = window.setTimeout(async () => {
      const { class_, kind, inputOf, onIssues } = latest.current;
      try {
        const issues = await validate(class_, kind, inputOf(), abort.signal);
        if (!abort.signal.aborted) onIssues(issues);
      } catch {
        // Aborted, or the service doesn't answer now.
      }
    }, PAUSE);
    running.current = { timer, abort };
  }, [cancel]);

  useEffect(() => cancel, [cancel]);
  return { validateSoon, cancel };
}
