// An object on its page: what it is, and the form that changes it.

import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { lazy, Suspense, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { paths } from "../app/routes";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { Page } from "../components/layout";
import { stopGuarding, useLeaveGuard } from "../components/leaving";
import { showToast } from "../components/toast";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import type { StoredObject } from "../description/stored_object";
import { useModel } from "../description/use_model";
import { nameIn } from "../documents/name";
import { canPreview } from "../documents/write";
import { t } from "../messages/messages";
import { invalidateAfterWrite } from "./after_write";
import { FormIssues } from "./form_issues";
import { LockBar } from "./lock/lock_bar";
import type { Lock } from "./lock/lock_requests";
import { ObjectActions } from "./object_actions";
import { ObjectBody } from "./object_body";
import { objectKey, objectRequest } from "./object_query";
import { draftOf } from "./reading";
import { SaveBar, useSaveShortcut } from "./save_bar";
import { useFocusOnFailure, useObjectForm } from "./use_object_form";

const PreviewDialog = lazy(() => import("./preview_dialog"));
const DeleteDialog = lazy(() => import("./delete_dialog"));

interface ObjectEditorProps {
  readonly class_: ModelClass;
  readonly stored: StoredObject;
  readonly asOf: string | null;
  readonly isReadOnly: boolean;
}

export function ObjectEditor({ class_, stored, asOf, isReadOnly }: ObjectEditorProps) {
  const model = useModel();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const formId = useId();
  const form = useObjectForm({ model, class_, original: draftOf(model, class_, stored), asOf });
  const [isPreviewing, setPreviewing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { isChanged, original, reset } = form;
  const label = titleOfObject(class_, stored);
  const isOutdated = stored !== original.stored;

  useLeaveGuard(isChanged);
  useFocusOnFailure(form.attempts, formId);
  useEffect(() => {
    // Whoever has changed nothing sees what was read last.
    if (isOutdated && !isChanged) reset(draftOf(model, class_, stored));
  }, [isOutdated, isChanged, reset, model, class_, stored]);

  async function save(isForced = false) {
    if (!form.isChanged) return;
    const saved = await form.save(isForced);
    if (!saved) return;
    client.setQueryData(objectKey(class_.name, stored._id, "edited", null), saved);
    showToast(t("Saved."));
    await invalidateAfterWrite(client, class_.name, stored._id);
  }

  function showCurrent() {
    const { current } = form;
    if (current) client.setQueryData(objectKey(class_.name, stored._id, "edited", null), current);
    reset(draftOf(model, class_, current ?? stored));
  }

  return (
    <Page
      title={label}
      breadcrumbs={breadcrumbsOf(class_)}
      actions={
        <ObjectActions
          class_={class_}
          id={stored._id}
          isPast={asOf !== null}
          {...objectRequest(model, class_, stored._id, isReadOnly ? "shown" : "edited", asOf)}
          onDelete={() => setDeleting(true)}
        />
      }
    >
      <div id={formId} className="object-form">
        <LockBar
          class_={class_}
          id={stored._id}
          lock={stored["_lock"] as Lock | null | undefined}
          isEditable={!isReadOnly}
        />
        {form.current || (isOutdated && isChanged) ? <ChangedBanner onReload={showCurrent} /> : null}
        {!form.current && <FormIssues form={form} onForce={() => void save(true)} />}
        <ObjectBody form={form} isReadOnly={isReadOnly} />
        {(isChanged || form.isSaving) && !isReadOnly && (
          <SaveBar
            form={form}
            action={t("Save")}
            onSave={() => void save()}
            onDiscard={form.discard}
            onPreview={canPreview(class_, "update") ? () => setPreviewing(true) : undefined}
          />
        )}
        {!isChanged && <NothingToSave />}
      </div>
      <Suspense>
        {isPreviewing && (
          <PreviewDialog
            form={form}
            action={t("Save")}
            onClose={() => setPreviewing(false)}
            onSave={() => void save()}
          />
        )}
        {isDeleting && (
          <DeleteDialog
            form={form}
            title={label}
            onClose={() => setDeleting(false)}
            onDeleted={() => {
              stopGuarding();
              client.removeQueries({ queryKey: ["object", class_.name, stored._id] });
              void invalidateAfterWrite(client, class_.name, stored._id);
              showToast(t("{object} is deleted.", { object: label }));
              navigate(paths.list(class_.name), { replace: true });
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}

/** Returns what the page of an object is called. */
function titleOfObject(class_: ModelClass, stored: StoredObject): string {
  if (class_.kind === "SINGLETON") return titleOf(class_.name);
  return nameIn(class_, stored) ?? `${titleOf(class_.name)} ${stored._id}`;
}

function breadcrumbsOf(class_: ModelClass) {
  if (class_.kind === "SINGLETON") return [];
  return [{ label: titleOf(class_.name), to: paths.list(class_.name) }];
}

/** Says that somebody else has changed the object. */
function ChangedBanner({ onReload }: { readonly onReload: () => void }) {
  return (
    <div data-failure tabIndex={-1}>
      <Banner
        kind="warning"
        actions={
          <Button isSmall icon={RefreshCw} onPress={onReload}>
            {t("Show the new state")}
          </Button>
        }
      >
        {t(
          "Somebody else has changed this object since you opened it. Your changes are still here, unsaved.",
        )}
      </Banner>
    </div>
  );
}

/** Keeps the browser's own dialog for saving pages away, also while there is nothing to save. */
function NothingToSave() {
  useSaveShortcut(nothing);
  return null;
}

function nothing(): void {}
