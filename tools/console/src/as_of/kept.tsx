// What stands in the past where a class keeps no versions, and where something would be written.

import { History, PencilOff } from "lucide-react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { Button } from "../components/button";
import { EmptyState } from "../components/feedback";
import { Page } from "../components/layout";
import type { Model, ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { instantText } from "../values/instant_text";
import { setAsOf, useAsOf } from "./as_of";

/** Whether a class has a past that the console can show. */
export function isKept(class_: ModelClass): boolean {
  return class_.versioned;
}

/** Shows the page of a class, or why there is none in the past. Pages of no class are shown. */
export function KeptInPast({ children }: { readonly children: ReactNode }) {
  const asOf = useAsOf();
  const model = useModel();
  const [location] = useLocation();
  const class_ = classOfLocation(location, model);
  if (!asOf || !class_) return children;
  if (!isKept(class_)) return <NotKept class_={class_} asOf={asOf} />;
  return location === `/data/${class_.name}/new` ? <NotWritten class_={class_} /> : children;
}

function classOfLocation(location: string, model: Model): ModelClass | undefined {
  const name = /^\/data\/([^/]+)/.exec(location)?.[1];
  return name === undefined ? undefined : model.find(decodeURIComponent(name));
}

function NotKept({ class_, asOf }: { readonly class_: ModelClass; readonly asOf: string }) {
  const member = useMember();
  const title = titleOf(class_.name);
  return (
    <Page title={title}>
      <div className="card">
        <EmptyState
          icon={History}
          title={t("{class} keeps no versions", { class: title })}
          actions={<BackToNow />}
        >
          {t(
            "The service doesn't record how its objects were on {instant}. It only knows how they are now.",
            {
              instant: instantText(asOf, member),
            },
          )}
        </EmptyState>
      </div>
    </Page>
  );
}

function NotWritten({ class_ }: { readonly class_: ModelClass }) {
  return (
    <Page title={titleOf(class_.name)}>
      <div className="card">
        <EmptyState icon={PencilOff} title={t("You can't change the past")} actions={<BackToNow />}>
          {t("Go back to now to create an object.")}
        </EmptyState>
      </div>
    </Page>
  );
}

function BackToNow() {
  return (
    <Button variant="primary" onPress={() => setAsOf(null)}>
      {t("Back to now")}
    </Button>
  );
}
