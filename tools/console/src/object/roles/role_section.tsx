// The frame of a role that is more than one field: a section of the page, or a group within a part.

import { CircleAlert, TriangleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Section } from "../../components/layout";
import { fieldTitle } from "../../description/field_title";
import type { Role } from "../../description/model";
import { type DraftPath, ROOT } from "../draft";
import { useIssues } from "../form_context";
import { fieldKey, messagesOf } from "../issues";

interface RoleSectionProps {
  readonly role: Role;
  readonly path: DraftPath;
  /** What stands behind the title, such as a count. */
  readonly count?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function RoleSection({ role, path, count, actions, children }: RoleSectionProps) {
  const issues = useIssues();
  const id = useId();
  const found = issues.fields.get(fieldKey(path, role.name));
  const error = messagesOf(found, "ERROR");
  const warning = messagesOf(found, "WARNING");
  const title = fieldTitle(role.name);
  const content = (
    <>
      {error && (
        <p className="field-error" data-invalid tabIndex={-1}>
          <CircleAlert size={14} aria-hidden />
          <span className="user-text">{error}</span>
        </p>
      )}
      {warning && (
        <p className="field-warning">
          <TriangleAlert size={14} aria-hidden />
          <span className="user-text">{warning}</span>
        </p>
      )}
      {children}
    </>
  );
  if (path === ROOT) {
    return (
      <Section title={count ? `${title} (${count})` : title} description={role.description} actions={actions}>
        {content}
      </Section>
    );
  }
  return (
    <fieldset className="role-group" aria-labelledby={id}>
      <div className="role-group-header">
        <h3 id={id}>{count ? `${title} (${count})` : title}</h3>
        {actions}
      </div>
      {content}
    </fieldset>
  );
}
