// A run over many objects, as a dialog shows it.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type BulkProgress, BulkRun, type BulkTask } from "./bulk_write";

export interface RunState {
  /** Null until a run has begun. */
  readonly progress: BulkProgress | null;
  readonly isRunning: boolean;
  /** Whether all objects have been reached. */
  readonly isOver: boolean;
  /** Why the run stopped before its end. */
  readonly error: unknown;
  /** Begins a run. Returns what it did, null if it stopped before its end. */
  readonly start: (task: BulkTask) => Promise<BulkProgress | null>;
  /** Goes on after an error. */
  readonly goOn: () => Promise<BulkProgress | null>;
  readonly stop: () => void;
}

export function useBulkRun(): RunState {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = useRef<BulkRun | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  async function goOn(): Promise<BulkProgress | null> {
    if (!run.current) return null;
    const current = new AbortController();
    controller.current = current;
    setError(null);
    setRunning(true);
    try {
      const done = await run.current.run(current.signal);
      return current.signal.aborted ? null : done;
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setRunning(false);
      // Objects of other classes may lead to these ones, or be derived from them.
      await Promise.all(
        ["list", "object", "history"].map((key) => client.invalidateQueries({ queryKey: [key] })),
      );
    }
  }

  function start(task: BulkTask): Promise<BulkProgress | null> {
    setProgress({ reached: 0, done: 0, issues: [] });
    run.current = new BulkRun(task, setProgress);
    return goOn();
  }

  const isOver = run.current?.isOver ?? false;
  return { progress, isRunning, isOver, error, start, goOn, stop: () => controller.current?.abort() };
}
