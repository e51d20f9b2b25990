// The member's password. A new one ends all sessions, so this one signs in again with it.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { Section } from "../components/layout";
import { PasswordField } from "../components/password_field";
import { showToast } from "../components/toast";
import { changeMember } from "../members/requests";
import { useSubmission } from "../members/use_submission";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { session } from "../session/session";
import { isWrongPassword, useHasPassword } from "./current_password";

const NOTHING = { currentPassword: "", password: "", repeated: "" };

export function PasswordSection() {
  const { id, username } = useMember();
  const client = useQueryClient();
  const hasPassword = useHasPassword();
  const [typed, setTyped] = useState(NOTHING);
  const labels = {
    currentPassword: t("Current password"),
    password: t("New password"),
    repeated: t("New password again"),
  };
  const { errors, isPending, submit, refuse } = useSubmission(labels, {
    fieldOf: (error) => (isWrongPassword(error) ? "currentPassword" : "password"),
  });
  const set = (name: keyof typeof NOTHING) => (value: string) => setTyped({ ...typed, [name]: value });

  async function save(event: FormEvent) {
    event.preventDefault();
    const { currentPassword, password, repeated } = typed;
    if (password !== repeated) {
      refuse({ repeated: t("This is not the same password.") });
      return;
    }
    const isDone = await submit(async () => {
      await changeMember(id, { password, ...(currentPassword ? { currentPassword } : {}) });
      await session.signIn(username, password);
    });
    if (!isDone) return;
    setTyped(NOTHING);
    await client.invalidateQueries({ queryKey: ["members", id] });
    showToast(t("The password is changed. Your other sessions have ended."));
  }

  return (
    <Section title={t("Password")} description={t("A new password ends all other sessions.")}>
      <Form className="section-form" onSubmit={(event) => void save(event)}>
        {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
        {/* Password managers need the name. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <div className="form-grid">
          {hasPassword && (
            <div className="is-wide form-grid">
              <PasswordField
                label={labels.currentPassword}
                autoComplete="current-password"
                value={typed.currentPassword}
                onChange={set("currentPassword")}
                error={errors.fields["currentPassword"]}
                isRequired
              />
            </div>
          )}
          <PasswordField
            label={labels.password}
            autoComplete="new-password"
            value={typed.password}
            onChange={set("password")}
            error={errors.fields["password"]}
            isRequired
          />
          <PasswordField
            label={labels.repeated}
            autoComplete="new-password"
            value={typed.repeated}
            onChange={set("repeated")}
            error={errors.fields["repeated"]}
            isRequired
          />
        </div>
        <div>
          <Button type="submit" isPending={isPending}>
            {t("Change the password")}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
