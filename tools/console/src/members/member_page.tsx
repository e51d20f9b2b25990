// What an administrator sees and changes of a member.

import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { type PageProps, paths } from "../app/routes";
import { Button, ButtonLink } from "../components/button";
import { Banner } from "../components/feedback";
import { TextField } from "../components/field";
import { Section } from "../components/layout";
import { showToast } from "../components/toast";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { MemberFrame } from "./member_frame";
import { memberDetailsQuery } from "./members_query";
import { PreferencesForm } from "./preferences_form";
import { ProfileField } from "./profile_field";
import { changeMember, type MemberRecord } from "./requests";
import { useSubmission } from "./use_submission";

export default function MemberPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  return <MemberFrame id={id}>{(member) => <Details key={id} member={member} />}</MemberFrame>;
}

function Details({ member }: { readonly member: MemberRecord }) {
  const { id } = member;
  const { data: details } = useSuspenseQuery(memberDetailsQuery(id));
  const client = useQueryClient();

  async function change(fields: Readonly<Record<string, unknown>>) {
    await changeMember(id, fields);
    await client.invalidateQueries({ queryKey: ["members"] });
    await client.invalidateQueries({ queryKey: ["member"] });
  }

  return (
    <>
      <DetailsForm member={member} notes={details?.notes ?? ""} onSave={change} />
      {details && <PreferencesForm preferences={details} onSave={change} isSecondary />}
    </>
  );
}

interface DetailsFormProps {
  readonly member: MemberRecord;
  readonly notes: string;
  readonly onSave: (fields: Readonly<Record<string, unknown>>) => Promise<void>;
}

function DetailsForm({ member, notes, onSave }: DetailsFormProps) {
  const isOwn = useMember().id === member.id;
  const isProgram = member.kind === "program";
  const stored = { username: member.username, email: member.email, profile: member.profile, notes };
  const [draft, setDraft] = useState(stored);
  const labels = {
    username: t("Username"),
    email: t("Email address"),
    profile: t("Profile"),
    notes: t("Notes"),
  };
  const { errors, isPending, submit } = useSubmission(labels);
  const set = (name: keyof typeof stored) => (value: string) => setDraft({ ...draft, [name]: value });

  async function save(event: FormEvent) {
    event.preventDefault();
    const changed = Object.fromEntries(
      Object.entries(draft).filter(([name, value]) => value !== stored[name as keyof typeof stored]),
    );
    if (await submit(() => onSave(changed))) showToast(t("Saved"));
  }

  return (
    <Section
      title={t("Details")}
      actions={
        isOwn && (
          <ButtonLink to={paths.account("sign-in")}>{t("Change your email address and password")}</ButtonLink>
        )
      }
    >
      <Form className="section-form" onSubmit={(event) => void save(event)}>
        {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
        {member.pendingEmail && (
          <Banner kind="info">
            {t("The member has asked for the address {email}, and has not confirmed it yet.", {
              email: member.pendingEmail,
            })}
          </Banner>
        )}
        <div className="form-grid">
          <TextField
            label={labels.username}
            value={draft.username}
            onChange={set("username")}
            error={errors.fields["username"]}
            autoComplete="off"
            spellCheck="false"
            isRequired
          />
          {!isProgram && (
            <TextField
              label={labels.email}
              type="email"
              value={draft.email}
              onChange={set("email")}
              description={isOwn ? undefined : t("A change takes effect at once.")}
              error={errors.fields["email"]}
              autoComplete="off"
              isReadOnly={isOwn}
              isRequired
            />
          )}
          <ProfileField value={draft.profile} onChange={set("profile")} error={errors.fields["profile"]} />
          <div className="is-wide">
            <TextField
              label={labels.notes}
              value={draft.notes}
              onChange={set("notes")}
              error={errors.fields["notes"]}
              isMultiline
            />
          </div>
        </div>
        <div>
          <Button type="submit" variant="primary" isPending={isPending}>
            {t("Save")}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
