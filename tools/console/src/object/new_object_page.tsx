// The page of a new object, of a copy, or of a form that is never stored.

import "./object.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { type PageProps, paths } from "../app/routes";
import { useAsOf } from "../as_of/as_of";
import { Button, ButtonLink } from "../components/button";
import { Banner, EmptyState, ErrorState, Loading } from "../components/feedback";
import { Page } from "../components/layout";
import { stopGuarding, useLeaveGuard } from "../components/leaving";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { nameIn } from "../documents/name";
import { isReadAlone } from "../documents/object";
import { canPreview, canWrite } from "../documents/write";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import type { Draft } from "./draft";
import { FilledForm } from "./filled_form";
import { NewObject } from "./new_object";
import { objectKey, objectQuery } from "./object_query";
import { copyOf, draftOf, newDraft } from "./reading";
import { forgetDraft, keepDraft, keptDraft } from "./stored_drafts";
import { useObjectForm } from "./use_object_form";

export default function NewObjectPage({ params }: PageProps) {
  const { class: className = "" } = params;
  const class_ = useModel().find(className);
  const copied = new URLSearchParams(useSearch()).get("copyOf");
  const asOf = useAsOf();
  if (class_?.kind === "FORM" && canPreview(class_, "create")) return <FilledForm class_={class_} />;
  if (!class_ || !canWrite(class_, "create") || asOf !== null) return <CantCreate isPast={asOf !== null} />;
  if (copied && isReadAlone(class_)) return <CopyPage key={copied} class_={class_} id={copied} />;
  return <NewPage class_={class_} copied={null} copy={null} />;
}

/** Reads the object that is copied. */
function CopyPage({ class_, id }: { readonly class_: ModelClass; readonly id: string }) {
  const model = useModel();
  const { data, error, refetch } = useQuery(objectQuery(model, class_, id, "edited"));
  if (data) {
    const draft = copyOf(model, class_, draftOf(model, class_, data));
    return <NewPage class_={class_} copied={nameIn(class_, data) ?? id} copy={draft} />;
  }
  if (data === null) return <CantCreate isPast={false} />;
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />;
}

interface NewPageProps {
  readonly class_: ModelClass;
  /** The label of the object that is copied. */
  readonly copied: string | null;
  readonly copy: Draft | null;
}

function NewPage({ class_, copied, copy }: NewPageProps) {
  const member = useMember().id;
  const [, navigate] = useLocation();
  const model = useModel();
  const client = useQueryClient();
  const [kept] = useState(() => (copy ? null : keptDraft(member, class_.name)));
  const [isRestored, setRestored] = useState(kept !== null);
  const [original] = useState(() => newDraft(class_));
  const form = useObjectForm({ model, class_, original, initial: copy ?? kept ?? undefined });
  const { draft, isChanged } = form;
  const title = t("New {class}", { class: titleOf(class_.name) });

  useLeaveGuard(isChanged);
  useEffect(() => {
    if (draft.id !== null) return;
    if (isChanged) keepDraft(member, draft);
    else forgetDraft(member, class_.name);
  }, [member, class_.name, draft, isChanged]);
  // Who leaves the page has agreed to lose the draft; a reload takes the page with it before this happens.
  useEffect(() => () => forgetDraft(member, class_.name), [member, class_.name]);

  function leave(to: string) {
    forgetDraft(member, class_.name);
    stopGuarding();
    navigate(to, { replace: true });
  }

  return (
    <Page title={title} breadcrumbs={[{ label: titleOf(class_.name), to: paths.list(class_.name) }]}>
      {copied && (
        <Banner kind="info">
          {t("A copy of {object}. Unique values and files are left out, as are parts of parts.", {
            object: copied,
          })}
        </Banner>
      )}
      {isRestored && (
        <Banner
          kind="info"
          actions={
            <Button
              isSmall
              onPress={() => {
                setRestored(false);
                form.reset(original);
              }}
            >
              {t("Start over")}
            </Button>
          }
        >
          {t("This is what you had typed before the page was reloaded.")}
        </Banner>
      )}
      <NewObject
        class_={class_}
        form={form}
        onCancel={() => navigate(paths.list(class_.name))}
        onCreated={(created) => {
          client.setQueryData(objectKey(class_.name, created._id, "edited", null), created);
          leave(isReadAlone(class_) ? paths.object(class_.name, created._id) : paths.list(class_.name));
        }}
      />
    </Page>
  );
}

function CantCreate({ isPast }: { readonly isPast: boolean }) {
  return (
    <Page title={t("Nothing to create")}>
      <div className="card">
        <EmptyState
          icon={SearchX}
          title={t("You can't create such an object here")}
          actions={<ButtonLink to={paths.home()}>{t("Go to the start")}</ButtonLink>}
        >
          {isPast
            ? t("The console shows the past, in which nothing is written. Go back to now.")
            : t("The class may have another name now, or you may not create its objects.")}
        </EmptyState>
      </div>
    </Page>
  );
}
