// Invites a person, who gets a link to choose a password, or creates a program, which gets API keys.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { useLocation } from "wouter";
import { paths } from "../app/routes";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Banner } from "../components/feedback";
import { TextField } from "../components/field";
import { showToast } from "../components/toast";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { ProfileField } from "./profile_field";
import { createMember } from "./requests";
import { useSubmission } from "./use_submission";

interface NewMemberDialogProps {
  readonly kind: "person" | "program";
  readonly onClose: () => void;
}

export function NewMemberDialog({ kind, onClose }: NewMemberDialogProps) {
  const { profiles } = useModel();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [profile, setProfile] = useState(profiles.find(({ administrator }) => !administrator)?.name ?? "");
  const labels = { username: t("Username"), email: t("Email address"), profile: t("Profile") };
  const { errors, isPending, submit } = useSubmission(labels);
  const isProgram = kind === "program";

  async function create(event: FormEvent) {
    event.preventDefault();
    let id = "";
    const isDone = await submit(async () => {
      ({ id } = await createMember({ username, profile, ...(isProgram ? { kind } : { email }) }));
      await client.invalidateQueries({ queryKey: ["members"] });
    });
    if (!isDone) return;
    onClose();
    showToast(
      isProgram
        ? t("The program is created.")
        : t("An email with a link is on its way to {email}.", { email }),
    );
    navigate(isProgram ? paths.member(id, "keys") : paths.member(id));
  }

  return (
    <Dialog title={isProgram ? t("New program") : t("Invite a member")} isOpen onClose={onClose}>
      <p className="quiet">
        {isProgram
          ? t("A program signs in with API keys. It has neither an email address nor a password.")
          : t("The new member gets an email with a link to choose a password.")}
      </p>
      <Form className="dialog-form" onSubmit={(event) => void create(event)}>
        {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
        <TextField
          label={labels.username}
          value={username}
          onChange={setUsername}
          error={errors.fields["username"]}
          autoComplete="off"
          spellCheck="false"
          isRequired
          autoFocus
        />
        {!isProgram && (
          <TextField
            label={labels.email}
            type="email"
            value={email}
            onChange={setEmail}
            error={errors.fields["email"]}
            autoComplete="off"
            isRequired
          />
        )}
        <ProfileField value={profile} onChange={setProfile} error={errors.fields["profile"]} />
        <DialogButtons>
          <Button onPress={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" isPending={isPending}>
            {isProgram ? t("Create the program") : t("Send the invitation")}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  );
}
