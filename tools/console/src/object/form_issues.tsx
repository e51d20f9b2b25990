// What is wrong with the form as a whole, and why it could not be saved.

import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { plural, t } from "../messages/messages";
import type { Issue } from "../service/errors";
import type { ObjectForm } from "./use_object_form";

interface FormIssuesProps {
  readonly form: ObjectForm;
  /** Saves in spite of warnings. */
  readonly onForce: () => void;
}

/** Shows above the form what belongs to none of its fields. */
export function FormIssues({ form, onForce }: FormIssuesProps) {
  const { issues, failure, isForceable } = form;
  const errors = issues.form.filter(({ issueLevel }) => issueLevel === "ERROR");
  const warnings = issues.form.filter(({ issueLevel }) => issueLevel === "WARNING");
  const isLost = failure !== null && failure.issues.length === 0;
  return (
    <>
      {isLost && (
        <div data-failure tabIndex={-1}>
          <Banner kind="error">
            <strong>{t("Not saved.")}</strong> {failure.message} {t("What you have typed is still here.")}
          </Banner>
        </div>
      )}
      {errors.length > 0 && (
        <div data-failure tabIndex={-1}>
          <Banner kind="error">
            <Messages issues={errors} />
          </Banner>
        </div>
      )}
      {(warnings.length > 0 || isForceable) && (
        <div data-failure={isForceable ? true : undefined} tabIndex={-1}>
          <Banner
            kind="warning"
            actions={
              isForceable && (
                <Button isSmall onPress={onForce} isPending={form.isSaving}>
                  {t("Save anyway")}
                </Button>
              )
            }
          >
            <Messages issues={warnings} />
            {isForceable && warnings.length === 0 && t("There are warnings at the fields below.")}
          </Banner>
        </div>
      )}
    </>
  );
}

function Messages({ issues }: { readonly issues: readonly Issue[] }) {
  if (issues.length === 1) return <span className="user-text">{issues[0]?.userMessage}</span>;
  return (
    <ul className="issue-list">
      {issues.map((issue, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two issues may say the same.
        <li key={index} className="user-text">
          {issue.userMessage}
        </li>
      ))}
    </ul>
  );
}

/** Returns how many fields are wrong, as a text. */
export function countOfErrors(form: ObjectForm): string | null {
  const found = [...form.issues.fields.values(), ...form.issues.objects.values()];
  const count = found.filter((issues) => issues.some(({ issueLevel }) => issueLevel === "ERROR")).length;
  return count > 0 ? plural(count, "{count} field needs a change", "{count} fields need a change") : null;
}
