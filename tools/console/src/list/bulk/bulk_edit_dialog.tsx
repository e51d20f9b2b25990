// Changes many objects: first the fields, then the number of objects and what stands in the way, then the changes.

import { useState } from "react";
import { Button } from "../../components/button";
import { Dialog, DialogButtons } from "../../components/dialog";
import { ErrorState, Loading } from "../../components/feedback";
import { titleOf } from "../../description/sidebar";
import { currentLanguage, plural, t } from "../../messages/messages";
import type { BulkDialogProps } from "./bulk_actions";
import { BulkIssues, hasWarnings, objectsText, useBulkCheck } from "./bulk_check";
import { BulkProgress } from "./bulk_progress";
import type { BulkCheck } from "./bulk_write";
import { ChangeFields } from "./change_fields";
import { type Change, dataOf, isWrong } from "./changes";
import { useBulkRun } from "./use_bulk_run";

export default function BulkEditDialog({ class_, options, onClose, onDone }: BulkDialogProps) {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const [isChecked, setChecked] = useState(false);
  const task = { class_, kind: "update", options, data: dataOf(changes) } as const;
  const { data: check, error, refetch } = useBulkCheck(isChecked ? task : null);
  const run = useBulkRun({
    doneText: (count) => plural(count, "{count} object is changed.", "{count} objects are changed."),
    onDone,
    onClose,
  });
  const start = (of: BulkCheck) => run.start({ ...task, isForced: hasWarnings(of) });
  return (
    <Dialog title={t("Edit objects")} isOpen onClose={run.close} isStrict={run.isRunning}>
      {!isChecked && (
        <>
          <p>{t("All selected objects get the same values. An empty field clears the value.")}</p>
          <ChangeFields class_={class_} changes={changes} onChange={setChanges} />
          <DialogButtons>
            <Button onPress={run.close}>{t("Cancel")}</Button>
            <Button
              variant="primary"
              isDisabled={changes.length === 0 || changes.some(isWrong)}
              onPress={() => setChecked(true)}
            >
              {t("Check")}
            </Button>
          </DialogButtons>
        </>
      )}
      {isChecked &&
        !check &&
        (error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {isChecked && check && !run.progress && (
        <Confirmation
          check={check}
          changes={changes}
          onBack={() => setChecked(false)}
          onConfirm={() => start(check)}
        />
      )}
      {check && run.progress && <BulkProgress run={run} count={check.count} />}
    </Dialog>
  );
}

interface ConfirmationProps {
  readonly check: BulkCheck;
  readonly changes: readonly Change[];
  readonly onBack: () => void;
  readonly onConfirm: () => void;
}

function Confirmation({ check, changes, onBack, onConfirm }: ConfirmationProps) {
  const objects = objectsText(check.count);
  const names = changes.map(({ field }) => titleOf(field.name));
  const fields = new Intl.ListFormat(currentLanguage(), { type: "conjunction" }).format(names);
  return (
    <>
      <p className="user-text">
        {check.count === 0
          ? t("No object matches any more.")
          : t("This changes {fields} of {objects}.", { fields, objects })}
      </p>
      <BulkIssues check={check} />
      <DialogButtons>
        <Button onPress={onBack}>{t("Back")}</Button>
        {check.count !== 0 && (
          <Button variant="primary" onPress={onConfirm}>
            {hasWarnings(check)
              ? t("Change {objects} anyway", { objects })
              : t("Change {objects}", { objects })}
          </Button>
        )}
      </DialogButtons>
    </>
  );
}
