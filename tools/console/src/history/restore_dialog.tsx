// Restores an object as it was: what would change, what would be left out, and the request.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Banner } from "../components/feedback";
import { showToast } from "../components/toast";
import type { ModelClass } from "../description/model";
import { restoreDocument } from "../documents/history";
import { t } from "../messages/messages";
import { asServiceError, type Issue, type ServiceError } from "../service/errors";
import { ask } from "../service/graphql";
import { useMember } from "../session/member";
import { instantText } from "../values/instant_text";
import { Comparison } from "./comparison_view";
import { idVariable } from "./history_query";

/** Lets warnings pass about what is left out. */
const FORCED = { actionVeto: true, dataValidation: true };

interface RestoreDialogProps {
  readonly class_: ModelClass;
  readonly id: string;
  readonly label: string;
  /** The instant as of which the object comes back. */
  readonly instant: string;
  /** The revision of the object as it is now, or null if it is deleted. */
  readonly revision: string | null;
  readonly onClose: () => void;
  readonly onRestored: () => void;
}

export function RestoreDialog(props: RestoreDialogProps) {
  const { class_, id, label, instant, revision, onClose, onRestored } = props;
  const member = useMember();
  const client = useQueryClient();
  const [failure, setFailure] = useState<ServiceError | null>(null);
  const [isPending, setPending] = useState(false);
  const [now] = useState(() => new Date().toISOString());
  const issues = failure?.issues ?? [];
  const isForceable = issues.length > 0 && issues.every(({ issueLevel }) => issueLevel === "WARNING");
  const isDeleted = revision === null;

  async function restore(isForced: boolean) {
    setPending(true);
    setFailure(null);
    try {
      await ask(restoreDocument(class_), {
        ...idVariable(class_, id),
        atVersion: instant,
        ...(revision ? { ifRevision: revision } : {}),
        ...(isForced ? { forceWarnings: FORCED } : {}),
      });
      showToast(t("{object} is restored.", { object: label }));
      onRestored();
      await Promise.all(
        ["object", "list", "history", "deleted", "associables"].map((key) =>
          client.invalidateQueries({ queryKey: [key] }),
        ),
      );
    } catch (error) {
      setFailure(asServiceError(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog
      title={isDeleted ? t("Restore {object}", { object: label }) : t("Restore this version")}
      isOpen
      isWide={!isDeleted}
      onClose={onClose}
    >
      <p>
        {t("The object becomes what it was on {instant}, with its parts. This makes a new version.", {
          instant: instantText(instant, member),
        })}{" "}
        {isDeleted ? t("It keeps its identity.") : t("What has changed since then stays in the history.")}
      </p>
      {!isDeleted && (
        <Comparison
          class_={class_}
          id={id}
          span={{ from: now, to: instant }}
          names={[t("Now"), t("Restored")]}
          isShort
        />
      )}
      {failure && <RestoreIssues failure={failure} issues={issues} isForceable={isForceable} />}
      <DialogButtons>
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button variant="primary" isPending={isPending} onPress={() => void restore(isForceable)}>
          {isForceable ? t("Restore anyway") : t("Restore")}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

interface RestoreIssuesProps {
  readonly failure: ServiceError;
  readonly issues: readonly Issue[];
  readonly isForceable: boolean;
}

function RestoreIssues({ failure, issues, isForceable }: RestoreIssuesProps) {
  if (issues.length === 0) return <Banner kind="error">{failure.message}</Banner>;
  return (
    <Banner kind={isForceable ? "warning" : "error"}>
      <strong>
        {isForceable
          ? t("Not everything can come back. This would be left out:")
          : t("The service refuses to restore it.")}
      </strong>
      <ul className="issue-list">
        {[...new Set(issues.map(messageOf))].map((message) => (
          <li key={message} className="user-text">
            {message}
          </li>
        ))}
      </ul>
    </Banner>
  );
}

/** Returns the message of an issue without the advice to clients, for which the dialog has a button. */
function messageOf({ userMessage }: Issue): string {
  return userMessage.replace(/ [^.]*forceWarnings: \{dataValidation: true\}\.$/, "");
}
