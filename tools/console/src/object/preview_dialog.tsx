// Shows what saving would change, before it is saved: values, derived values and parts.

import "../components/table.css";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Badge, Banner, ErrorState, type FeedbackKind, Loading } from "../components/feedback";
import { fieldTitle } from "../description/field_title";
import { titleOf } from "../description/sidebar";
import { t } from "../messages/messages";
import type { Issue } from "../service/errors";
import { ValueText } from "../values/value_text";
import { type ChangedObject, type Difference, differencesOf } from "./differences";
import { NO_LINKS } from "./draft";
import { preview } from "./preview";
import type { ObjectForm } from "./use_object_form";

interface PreviewDialogProps {
  readonly form: ObjectForm;
  /** What saving does, such as "Save" or "Create". */
  readonly action: string;
  readonly onClose: () => void;
  readonly onSave: () => void;
}

export default function PreviewDialog({ form, action, onClose, onSave }: PreviewDialogProps) {
  const { model, class_, original, judge } = form;
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", class_.name, original.id],
    queryFn: ({ signal }) => preview(model, class_, original.id, form.input(), signal),
    staleTime: 0,
    gcTime: 0,
  });
  const issues = data?.issues;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form shows the issues once.
  useEffect(() => {
    if (issues && issues.length > 0) judge(issues);
  }, [issues]);
  const changed = data ? differencesOf(model, class_, data.before, data.after) : [];
  const isRefused = issues?.some(({ issueLevel }) => issueLevel === "ERROR");
  return (
    <Dialog title={t("What saving would change")} isOpen isWide onClose={onClose}>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <>
          {issues && issues.length > 0 && <PreviewIssues issues={issues} />}
          <Changes changed={changed} />
          <Links form={form} />
        </>
      )}
      <DialogButtons>
        <Button onPress={onClose}>{t("Keep editing")}</Button>
        <Button
          variant="primary"
          isDisabled={!data || isRefused === true}
          onPress={() => {
            onClose();
            onSave();
          }}
        >
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function PreviewIssues({ issues }: { readonly issues: readonly Issue[] }) {
  const isRefused = issues.some(({ issueLevel }) => issueLevel === "ERROR");
  return (
    <Banner kind={isRefused ? "error" : "warning"}>
      <strong>{isRefused ? t("It can't be saved yet.") : t("There are warnings.")}</strong>
      <ul className="issue-list">
        {issues.map((issue) => (
          <li key={`${issue.userMessage} ${issue._clientId ?? issue.entityID}`} className="user-text">
            {issue.userMessage}
          </li>
        ))}
      </ul>
    </Banner>
  );
}

const CHANGES: Readonly<Record<ChangedObject["change"], { kind: FeedbackKind; label: () => string }>> = {
  ADDED: { kind: "done", label: () => t("New") },
  CHANGED: { kind: "info", label: () => t("Changed") },
  REMOVED: { kind: "error", label: () => t("Deleted") },
};

/** Shows a table for each object that would change. */
export function Changes({ changed }: { readonly changed: readonly ChangedObject[] }) {
  return changed.map(({ roles, label, change, differences }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: new parts have no ids.
    <section key={index} className="changes">
      {roles.length > 0 && (
        <h3>
          {roles.map(titleOf).join(" › ")}
          {label && <span className="user-text quiet">{label}</span>}
          <Badge kind={CHANGES[change].kind}>{CHANGES[change].label()}</Badge>
        </h3>
      )}
      {differences.length > 0 && <DifferencesTable differences={differences} isNew={change === "ADDED"} />}
    </section>
  ));
}

interface DifferencesTableProps {
  readonly differences: readonly Difference[];
  readonly isNew: boolean;
}

function DifferencesTable({ differences, isNew }: DifferencesTableProps) {
  return (
    <div className="table-frame">
      <table className="table changes-table">
        <thead>
          <tr>
            <th>{t("Field")}</th>
            {!isNew && <th>{t("Now")}</th>}
            <th>{t("After saving")}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <tr key={difference.name}>
              <th scope="row">{fieldTitle(difference.name)}</th>
              {!isNew && (
                <td className="changes-before">
                  <Value difference={difference} value={difference.before} />
                </td>
              )}
              <td>
                <Value difference={difference} value={difference.after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ difference, value }: { readonly difference: Difference; readonly value: unknown }) {
  if (difference.attribute) return <ValueText attribute={difference.attribute} value={value} />;
  return <span className="user-text">{value === null ? "–" : String(value)}</span>;
}

/** Shows what roles to many objects would lead to, and no longer lead to. */
function Links({ form }: { readonly form: ObjectForm }) {
  const changed = Object.entries(form.draft.links).filter(
    ([, { added, removed }]) => added.length + removed.length > 0,
  );
  return changed.map(([role]) => {
    const { added, removed } = form.draft.links[role] ?? NO_LINKS;
    return (
      <section key={role} className="changes">
        <h3>{titleOf(role)}</h3>
        <ul className="links">
          {added.map(({ id, label }) => (
            <li key={id} className="link-row">
              <span className="user-text">{label ?? id}</span>
              <Badge kind="done">{t("Added")}</Badge>
            </li>
          ))}
          {removed.map(({ id, label }) => (
            <li key={id} className="link-row">
              <span className="user-text">{label ?? id}</span>
              <Badge kind="error">{t("Removed")}</Badge>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
