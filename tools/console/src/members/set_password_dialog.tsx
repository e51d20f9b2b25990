// Sets the password of another member.

import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Banner } from "../components/feedback";
import { PasswordField } from "../components/password_field";
import { showToast } from "../components/toast";
import { t } from "../messages/messages";
import type { MemberDialogProps } from "./member_actions";
import { changeMember } from "./requests";
import { useSubmission } from "./use_submission";

export function SetPasswordDialog({ member: { id, username }, onClose }: MemberDialogProps) {
  const [password, setPassword] = useState("");
  const { errors, isPending, submit } = useSubmission(
    { password: t("New password") },
    { fieldOf: () => "password" },
  );

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!(await submit(() => changeMember(id, { password })))) return;
    onClose();
    showToast(t("The password is changed. The sessions of {username} have ended.", { username }));
  }

  return (
    <Dialog title={t("Set a password for {username}", { username })} isOpen onClose={onClose}>
      <p className="quiet">
        {t("Two people know it then. A link by email lets the member choose a password alone.")}
      </p>
      <Form className="dialog-form" onSubmit={(event) => void save(event)}>
        {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
        {/* Password managers need the name. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          label={t("New password")}
          value={password}
          onChange={setPassword}
          error={errors.fields["password"]}
          autoComplete="new-password"
          isRequired
          autoFocus
        />
        <DialogButtons>
          <Button onPress={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" isPending={isPending}>
            {t("Set the password")}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
