// What is known before many objects are written: how many there are, and what stands in the way.

import { useQuery } from "@tanstack/react-query";
import { Banner } from "../../components/feedback";
import { plural, t } from "../../messages/messages";
import { type BulkCheck, type BulkTask, checkMany } from "./bulk_write";
import { IssueList } from "./issue_list";

/** Counts the objects of a task, and tries its writes. It asks once for each task. */
export function useBulkCheck(task: BulkTask | null) {
  return useQuery({
    queryKey: ["bulk", task?.class_.name, task?.kind, task?.options, task?.data],
    queryFn: ({ signal }) => (task ? checkMany(task, signal) : null),
    enabled: task !== null,
    // The run itself changes what matches.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Whether the warnings of a check need the member's consent. */
export function hasWarnings({ issues }: BulkCheck): boolean {
  return issues.some(({ issueLevel }) => issueLevel === "WARNING");
}

export function BulkIssues({ check }: { readonly check: BulkCheck }) {
  const errors = check.issues.filter(({ issueLevel }) => issueLevel === "ERROR");
  const warnings = check.issues.filter(({ issueLevel }) => issueLevel === "WARNING");
  return (
    <>
      {errors.length > 0 && (
        <Banner kind="error">
          {t("Objects with these issues stay as they are:")}
          <IssueList issues={errors} />
        </Banner>
      )}
      {warnings.length > 0 && (
        <Banner kind="warning">
          {t("There are warnings:")}
          <IssueList issues={warnings} />
        </Banner>
      )}
      {check.isCut && (
        <p className="quiet">
          {t("Only the first ones have been checked. Each other one is checked when its turn comes.")}
        </p>
      )}
    </>
  );
}

/** Returns how many objects, as a text. */
export function objectsText(count: number | null): string {
  return count === null ? t("all objects that match") : plural(count, "{count} object", "{count} objects");
}
