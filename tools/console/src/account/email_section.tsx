// The member's email address. A new one counts when the member has opened the link that was sent to it.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { TextField } from "../components/field";
import { Section } from "../components/layout";
import { PasswordField } from "../components/password_field";
import { showToast } from "../components/toast";
import { changeMember } from "../members/requests";
import { useSubmission } from "../members/use_submission";
import { t } from "../messages/messages";
import { memberQuery, useMember } from "../session/member";
import { isWrongPassword, useHasPassword } from "./current_password";

export function EmailSection() {
  const member = useMember();
  const client = useQueryClient();
  const hasPassword = useHasPassword();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const labels = { email: t("New email address"), currentPassword: t("Current password") };
  const { errors, isPending, submit } = useSubmission(labels, {
    fieldOf: (error) => (isWrongPassword(error) ? "currentPassword" : null),
  });

  async function change(fields: Readonly<Record<string, unknown>>): Promise<boolean> {
    return submit(async () => {
      await changeMember(member.id, fields);
      await client.invalidateQueries({ queryKey: memberQuery.queryKey });
    });
  }

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!(await change({ email, ...(password ? { currentPassword: password } : {}) }))) return;
    setEmail("");
    setPassword("");
    showToast(t("Saved"));
  }

  return (
    <Section title={t("Email address")} description={<span className="user-text">{member.email}</span>}>
      {member.pendingEmail && (
        <Banner
          kind="info"
          actions={
            <Button isSmall isPending={isPending} onPress={() => void change({ pendingEmail: null })}>
              {t("Cancel the change")}
            </Button>
          }
        >
          {t("An email with a link is on its way to {email}. Open the link to confirm the address.", {
            email: member.pendingEmail,
          })}
        </Banner>
      )}
      <Form className="section-form" onSubmit={(event) => void save(event)}>
        {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
        <div className="form-grid">
          <TextField
            label={labels.email}
            type="email"
            autoComplete="email"
            value={email}
            onChange={setEmail}
            error={errors.fields["email"]}
            isRequired
          />
          {hasPassword && (
            <PasswordField
              label={labels.currentPassword}
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              error={errors.fields["currentPassword"]}
              isRequired
            />
          )}
        </div>
        <div>
          <Button type="submit" isPending={isPending}>
            {t("Change the email address")}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
