// A form of the model: it is filled in, and shows what the service makes of it. Nothing is stored.

import { RotateCcw } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { Page, Section } from "../components/layout";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { asServiceError } from "../service/errors";
import { isShown } from "../values/registry";
import type { Shown } from "./differences";
import { FormIssues } from "./form_issues";
import { ObjectBody } from "./object_body";
import { preview } from "./preview";
import { newDraft } from "./reading";
import { ShownAttribute } from "./shown_field";
import { useFocusOnFailure, useObjectForm } from "./use_object_form";

export function FilledForm({ class_ }: { readonly class_: ModelClass }) {
  const model = useModel();
  const formId = useId();
  const [original] = useState(() => newDraft(class_));
  const form = useObjectForm({ model, class_, original });
  const [result, setResult] = useState<Shown | null>(null);
  const [error, setError] = useState("");
  const [isPending, setPending] = useState(false);
  useFocusOnFailure(form.attempts, formId);
  const facts = class_.attributes.filter((attribute) => attribute.derived && isShown(attribute));

  async function show() {
    setPending(true);
    setError("");
    try {
      const { after, issues } = await preview(model, class_, null, form.input());
      setResult(issues.some(({ issueLevel }) => issueLevel === "ERROR") ? null : after);
      form.judge(issues);
    } catch (failure) {
      setError(asServiceError(failure).message);
    } finally {
      setPending(false);
    }
  }

  return (
    <Page title={titleOf(class_.name)} {...(class_.description ? { description: class_.description } : {})}>
      <div id={formId} className="object-form">
        {error && <Banner kind="error">{error}</Banner>}
        <FormIssues form={form} onForce={() => undefined} />
        <ObjectBody form={form} isReadOnly={false} />
        <div className="toolbar">
          <Button variant="primary" isPending={isPending} onPress={() => void show()}>
            {t("Show the result")}
          </Button>
          <Button
            variant="quiet"
            icon={RotateCcw}
            onPress={() => {
              form.reset(original);
              setResult(null);
            }}
          >
            {t("Start over")}
          </Button>
        </div>
        <div role="status">
          {result && (
            <Section title={t("Result")} description={t("Nothing is stored.")}>
              {facts.length > 0 ? (
                <dl className="shown-grid">
                  {facts.map((attribute) => (
                    <ShownAttribute
                      key={attribute.name}
                      attribute={attribute}
                      value={result[attribute.name]}
                    />
                  ))}
                </dl>
              ) : (
                <p className="quiet">{t("The form has no derived values.")}</p>
              )}
            </Section>
          )}
        </div>
      </div>
    </Page>
  );
}
