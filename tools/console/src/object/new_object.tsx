// The form of a new object, on a page or in a dialog.

import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useId, useState } from "react";
import { showToast } from "../components/toast";
import type { ModelClass } from "../description/model";
import type { StoredObject } from "../description/stored_object";
import { canPreview } from "../documents/write";
import { t } from "../messages/messages";
import { invalidateAfterWrite } from "./after_write";
import { FormIssues } from "./form_issues";
import { ObjectBody } from "./object_body";
import { SaveBar } from "./save_bar";
import { type ObjectForm, useFocusOnFailure } from "./use_object_form";

const PreviewDialog = lazy(() => import("./preview_dialog"));

interface NewObjectProps {
  readonly class_: ModelClass;
  readonly form: ObjectForm;
  readonly onCreated: (created: StoredObject) => void;
  readonly onCancel: () => void;
}

export function NewObject({ class_, form, onCreated, onCancel }: NewObjectProps) {
  const client = useQueryClient();
  const formId = useId();
  const [isPreviewing, setPreviewing] = useState(false);
  useFocusOnFailure(form.attempts, formId);

  async function save(isForced = false) {
    const created = await form.save(isForced);
    if (!created) return;
    showToast(t("Created."));
    void invalidateAfterWrite(client, class_.name, created._id);
    onCreated(created);
  }

  return (
    <div id={formId} className="object-form">
      <FormIssues form={form} onForce={() => void save(true)} />
      <ObjectBody form={form} isReadOnly={false} />
      <SaveBar
        form={form}
        action={t("Create")}
        onSave={() => void save()}
        onDiscard={onCancel}
        discardLabel={t("Cancel")}
        onPreview={canPreview(class_, "create") ? () => setPreviewing(true) : undefined}
        previewLabel={t("Preview")}
      />
      {isPreviewing && (
        <Suspense>
          <PreviewDialog
            form={form}
            action={t("Create")}
            onClose={() => setPreviewing(false)}
            onSave={() => void save()}
          />
        </Suspense>
      )}
    </div>
  );
}
