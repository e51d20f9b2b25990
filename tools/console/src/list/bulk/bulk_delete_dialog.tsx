// Deletes many objects: first their number and what stands in the way, then the deletion with its progress.

import { useState } from "react";
import { Button } from "../../components/button";
import { Dialog, DialogButtons } from "../../components/dialog";
import { ErrorState, Loading } from "../../components/feedback";
import { TextField } from "../../components/field";
import { plural, t } from "../../messages/messages";
import type { BulkDialogProps } from "./bulk_actions";
import { BulkIssues, hasWarnings, objectsText, useBulkCheck } from "./bulk_check";
import { BulkProgress } from "./bulk_progress";
import type { BulkCheck } from "./bulk_write";
import { useBulkRun } from "./use_bulk_run";

/** To delete more than this, the member types their number. */
const MANY = 10;

export default function BulkDeleteDialog({ class_, options, onClose, onDone }: BulkDialogProps) {
  const { data: check, error, refetch } = useBulkCheck({ class_, kind: "delete", options });
  const run = useBulkRun({
    doneText: (count) => plural(count, "{count} object is deleted.", "{count} objects are deleted."),
    onDone,
    onClose,
  });
  const start = (of: BulkCheck) => run.start({ class_, kind: "delete", options, isForced: hasWarnings(of) });
  return (
    <Dialog
      title={t("Delete objects")}
      isOpen
      onClose={run.close}
      isStrict={run.isRunning}
      role="alertdialog"
    >
      {!check && (error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {check && !run.progress && (
        <Confirmation
          check={check}
          isVersioned={class_.versioned}
          onClose={run.close}
          onConfirm={() => start(check)}
        />
      )}
      {check && run.progress && <BulkProgress run={run} count={check.count} />}
    </Dialog>
  );
}

interface ConfirmationProps {
  readonly check: BulkCheck;
  readonly isVersioned: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

function Confirmation({ check, isVersioned, onClose, onConfirm }: ConfirmationProps) {
  const { count } = check;
  const [typed, setTyped] = useState("");
  if (count === 0) {
    return (
      <>
        <p>{t("No object matches any more.")}</p>
        <DialogButtons>
          <Button onPress={onClose}>{t("Close")}</Button>
        </DialogButtons>
      </>
    );
  }
  // A number that isn't known can't be typed.
  const asked = count === null ? t("all") : String(count);
  const isMany = count === null || count > MANY;
  const isConfirmed = !isMany || typed.replace(/\D/g, "") === asked || typed.trim() === asked;
  const objects = objectsText(count);
  return (
    <>
      <p>
        {t("This deletes {objects}, with their parts.", { objects })}{" "}
        {isVersioned
          ? t("Their versions are kept, and they can be restored from the deleted objects.")
          : t("This can't be undone.")}
      </p>
      <BulkIssues check={check} />
      {isMany && (
        <TextField
          label={t("To confirm, type {text}", { text: asked })}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          autoFocus
        />
      )}
      <DialogButtons>
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button variant="danger" isDisabled={!isConfirmed} onPress={onConfirm}>
          {hasWarnings(check)
            ? t("Delete {objects} anyway", { objects })
            : t("Delete {objects}", { objects })}
        </Button>
      </DialogButtons>
    </>
  );
}
