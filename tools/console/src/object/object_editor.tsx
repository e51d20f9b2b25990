// An object on its page: what it is, and the form that changes it.

import { useQueryClient } from "@tanstack/react-query";
import { GitMerge } from "lucide-react";
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
import { useMember } from "../session/member";
import { invalidateAfterWrite } from "./after_write";
import { isChanged as differs } from "./changes";
import type { Draft } from "./draft";
import { FormIssues } from "./form_issues";
import { isDeletedMeanwhile } from "./issues";
import { LockBar } from "./lock/lock_bar";
import type { Lock } from "./lock/lock_requests";
import { lockKey, releaseOwnLock } from "./lock/use_lock";
import { ObjectActions } from "./object_actions";
import { ObjectBody } from "./object_body";
import { objectKey, objectRequest } from "./object_query";
import { draftOf } from "./reading";
import { SaveBar, useSaveShortcut } from "./save_bar";
import { keepDraft } from "./stored_drafts";
import { useFocusOnFailure, useObjectForm } from "./use_object_form";

const PreviewDialog = lazy(() => import("./preview_dialog"));
const DeleteDialog = lazy(() => import("./delete_dialog"));
const ConflictDialog = lazy(() => import("./conflict/conflict_dialog"));
const DeletedDialog = lazy(() => import("./conflict/deleted_dialog"));

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
  const [isResolving, setResolving] = useState(false);
  const member = useMember().id;
  const { isChanged, original, reset } = form;
  const label = titleOfObject(class_, stored);
  const isOutdated = stored !== original.stored;

  useLeaveGuard(isChanged);
  useFocusOnFailure(form.attempts, formId);
  useEffect(() => {
    // Whoever has changed nothing sees what was read last.
    if (isOutdated && !isChanged) reset(draftOf(model, class_, stored));
  }, [isOutdated, isChanged, reset, model, class_, stored]);

  const isGone = form.failure !== null && isDeletedMeanwhile(form.failure.issues, class_.name, stored._id);
  // The object as another member has saved it, while this one has changed it too.
  const theirs = form.current ?? (isOutdated && isChanged && isNewer(stored, original) ? stored : null);

  async function save(isForced = false) {
    if (form.isChangedNow()) await saveNow(isForced);
  }

  async function saveNow(isForced: boolean) {
    const saved = await form.save(isForced);
    if (!saved) {
      setResolving(true);
      // It may be locked by now.
      void client.invalidateQueries({ queryKey: lockKey(class_.name, stored._id) });
      return;
    }
    setResolving(false);
    showStored(saved);
    showToast(t("Saved."));
    await releaseOwnLock(client, class_.name, stored._id);
    await invalidateAfterWrite(client, class_.name, stored._id);
  }

  function showStored(found: StoredObject) {
    client.setQueryData(objectKey(class_.name, stored._id, "edited", null), found);
  }

  /** Saves what the member has chosen of two states, on top of the newer one. */
  async function resolve(draft: Draft, newer: Draft) {
    if (newer.stored) showStored(newer.stored);
    setResolving(false);
    reset(newer, draft);
    if (differs(draft, newer)) await saveNow(false);
  }

  function createAgain(draft: Draft) {
    keepDraft(member, draft);
    stopGuarding();
    navigate(paths.create(class_.name));
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
        {theirs && <ChangedBanner onResolve={() => setResolving(true)} />}
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
        {!isChanged && <NothingToSave onSave={() => void save()} />}
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
        {isResolving && theirs && (
          <ConflictDialog
            class_={class_}
            base={original}
            mine={form.draft}
            theirs={theirs}
            onResolve={resolve}
            onClose={() => setResolving(false)}
          />
        )}
        {isResolving && isGone && (
          <DeletedDialog
            class_={class_}
            mine={form.draft}
            onCreateAgain={createAgain}
            onClose={() => setResolving(false)}
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
function ChangedBanner({ onResolve }: { readonly onResolve: () => void }) {
  return (
    <div data-failure tabIndex={-1}>
      <Banner
        kind="warning"
        actions={
          <Button isSmall icon={GitMerge} onPress={onResolve}>
            {t("Compare and save")}
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
function NothingToSave({ onSave }: { readonly onSave: () => void }) {
  useSaveShortcut(onSave);
  return null;
}

/** Whether a member has saved an object since it was read. What is derived may differ without that. */
function isNewer(stored: StoredObject, original: Draft): boolean {
  return !stored._revision || stored._revision !== original.revision;
}
