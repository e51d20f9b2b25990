// A run over many objects, as a dialog shows it.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { showToast } from "../../components/toast";
import { type BulkProgress, BulkRun, type BulkTask } from "./bulk_write";

interface RunOptions {
  /** Says how many objects are done. */
  readonly doneText: (count: number) => string;
  /** Some objects may have changed. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export interface RunState {
  /** Null until a run has begun. */
  readonly progress: BulkProgress | null;
  readonly isRunning: boolean;
  /** Whether all objects have been reached. */
  readonly isOver: boolean;
  /** Why the run stopped before its end. */
  readonly error: unknown;
  /** Says how many objects are done. */
  readonly doneText: (count: number) => string;
  /** Begins a run. If it does all objects, the dialog closes. */
  readonly start: (task: BulkTask) => Promise<void>;
  /** Goes on after an error. */
  readonly goOn: () => Promise<void>;
  readonly stop: () => void;
  /** Closes the dialog, whatever the run has done. */
  readonly close: () => void;
}

export function useBulkRun({ doneText, onDone, onClose }: RunOptions): RunState {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = useRef<BulkRun | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  /** Runs up to the end. Returns what was done, null if the run stopped before. */
  async function runOn(): Promise<BulkProgress | null> {
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

  async function goOn(): Promise<void> {
    const reached = await runOn();
    if (!reached || reached.done < reached.reached) return;
    showToast(doneText(reached.done));
    onDone();
    onClose();
  }

  function start(task: BulkTask): Promise<void> {
    setProgress({ reached: 0, done: 0, issues: [] });
    run.current = new BulkRun(task, setProgress);
    return goOn();
  }

  function close(): void {
    if (progress) onDone();
    onClose();
  }

  const isOver = run.current?.isOver ?? false;
  const stop = () => controller.current?.abort();
  return { progress, isRunning, isOver, error, doneText, start, goOn, stop, close };
}
