// Asks before an object is deleted, and says what depends on it.

import { useQuery } from "@tanstack/react-query";
import { Button } from "../components/button";
import { ConfirmDialog, Dialog, DialogButtons } from "../components/dialog";
import { Banner, ErrorState, Loading } from "../components/feedback";
import { fieldTitle } from "../description/field_title";
import { t } from "../messages/messages";
import { type Dependents, deleteObject, judgeDeletion } from "./deleting";
import type { ObjectForm } from "./use_object_form";

interface DeleteDialogProps {
  readonly form: ObjectForm;
  readonly title: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export default function DeleteDialog({ form, title, onClose, onDeleted }: DeleteDialogProps) {
  const { model, class_, original } = form;
  const id = original.id ?? "";
  const { data, error, refetch } = useQuery({
    queryKey: ["deletion", class_.name, id],
    queryFn: ({ signal }) => judgeDeletion(model, class_, id, signal),
    staleTime: 0,
    gcTime: 0,
  });
  const question = t("Delete {object}?", { object: title });
  if (!data) {
    return (
      <Dialog title={question} isOpen onClose={onClose}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Dialog>
    );
  }
  const errors = data.issues.filter(({ issueLevel }) => issueLevel === "ERROR");
  const warnings = data.issues.filter(({ issueLevel }) => issueLevel === "WARNING");
  if (errors.length > 0) {
    return (
      <Dialog title={t("{object} can't be deleted", { object: title })} isOpen onClose={onClose}>
        <Banner kind="error">
          <IssueTexts texts={errors.map(({ userMessage }) => userMessage)} />
        </Banner>
        <DialogButtons>
          <Button variant="primary" onPress={onClose}>
            {t("Close")}
          </Button>
        </DialogButtons>
      </Dialog>
    );
  }
  const isForced = warnings.length > 0;
  return (
    <ConfirmDialog
      title={question}
      isOpen
      onClose={onClose}
      action={isForced ? t("Delete anyway") : t("Delete")}
      variant="danger"
      onConfirm={async () => {
        await deleteObject(class_, id, original.revision, isForced);
        onDeleted();
      }}
    >
      {isForced && (
        <Banner kind="warning">
          <IssueTexts texts={warnings.map(({ userMessage }) => userMessage)} />
        </Banner>
      )}
      <DependentList
        title={t("These are deleted with it:")}
        dependents={data.dependents.filter(({ isPart }) => isPart)}
      />
      <DependentList
        title={t("These no longer lead to it:")}
        dependents={data.dependents.filter(({ isPart }) => !isPart)}
      />
      <p>
        {class_.versioned
          ? t("Its versions are kept, and it can be restored from the deleted objects.")
          : t("This can't be undone.")}
      </p>
    </ConfirmDialog>
  );
}

function IssueTexts({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 1) return <span className="user-text">{texts[0]}</span>;
  return (
    <ul className="issue-list">
      {texts.map((text) => (
        <li key={text} className="user-text">
          {text}
        </li>
      ))}
    </ul>
  );
}

function DependentList({
  title,
  dependents,
}: {
  readonly title: string;
  readonly dependents: readonly Dependents[];
}) {
  if (dependents.length === 0) return null;
  return (
    <div>
      <p>{title}</p>
      <ul className="issue-list">
        {dependents.map(({ role, count, hasMore }) => (
          <li key={role}>
            {fieldTitle(role)}: {count}
            {hasMore && "+"}
          </li>
        ))}
      </ul>
    </div>
  );
}
