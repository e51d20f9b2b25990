// How a run over many objects goes, and what it could not do.

import "./bulk.css";
import { Button } from "../../components/button";
import { DialogButtons } from "../../components/dialog";
import { Banner } from "../../components/feedback";
import { plural, t } from "../../messages/messages";
import { asServiceError } from "../../service/errors";
import { IssueList } from "./issue_list";
import type { RunState } from "./use_bulk_run";

interface BulkProgressProps {
  readonly run: RunState;
  /** How many objects there are; null if nobody knows. */
  readonly count: number | null;
}

export function BulkProgress({ run, count }: BulkProgressProps) {
  const { progress, isRunning, isOver, error, doneText } = run;
  if (!progress) return null;
  const { reached, done, issues } = progress;
  const refused = reached - done;
  return (
    <>
      <div className="bulk-progress">
        <progress
          aria-label={t("Progress")}
          max={Math.max(count ?? 0, reached, 1)}
          {...(count === null && isRunning ? {} : { value: reached })}
        />
        <p role="status">{doneText(done)}</p>
      </div>
      {Boolean(error) && <Banner kind="error">{asServiceError(error).message}</Banner>}
      {!isRunning && !error && !isOver && (
        <Banner kind="info">{t("Stopped. What is done stays done.")}</Banner>
      )}
      {refused > 0 && !isRunning && (
        <>
          <p>{plural(refused, "{count} object stays as it was:", "{count} objects stay as they were:")}</p>
          <IssueList issues={issues} />
          {issues.length === 0 && (
            <p className="quiet">{t("It no longer matches, or somebody has deleted it.")}</p>
          )}
        </>
      )}
      <DialogButtons>
        {isRunning && <Button onPress={run.stop}>{t("Stop")}</Button>}
        {!isRunning && <Button onPress={run.close}>{t("Close")}</Button>}
        {!isRunning && !isOver && (
          <Button variant="primary" onPress={() => void run.goOn()}>
            {t("Continue")}
          </Button>
        )}
      </DialogButtons>
    </>
  );
}
