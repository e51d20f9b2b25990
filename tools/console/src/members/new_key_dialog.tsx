// Makes an API key, and shows its text once.

import { Check, Copy } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Banner } from "../components/feedback";
import { SelectField, TextField } from "../components/field";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { createKey } from "./requests";
import { useSubmission } from "./use_submission";

const DAYS = [
  { value: "30", label: () => t("30 days") },
  { value: "90", label: () => t("90 days") },
  { value: "365", label: () => t("1 year") },
  { value: "", label: () => t("No end") },
];

interface NewKeyDialogProps {
  /** The ID of the member. */
  readonly id: string;
  /** The profile of the member. */
  readonly profile: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function NewKeyDialog({ isOpen, onClose, ...props }: NewKeyDialogProps) {
  const [text, setText] = useState<string | null>(null);

  function close() {
    setText(null);
    onClose();
  }

  return (
    <Dialog
      title={text === null ? t("New API key") : t("Copy the new key")}
      isOpen={isOpen}
      onClose={close}
      isStrict={text !== null}
    >
      {text === null ? (
        <NewKeyForm {...props} onClose={close} onText={setText} />
      ) : (
        <NewKey text={text} onClose={close} />
      )}
    </Dialog>
  );
}

interface NewKeyFormProps extends Omit<NewKeyDialogProps, "isOpen"> {
  readonly onText: (text: string) => void;
}

function NewKeyForm({ id, profile, onClose, onCreated, onText }: NewKeyFormProps) {
  const narrower = useModel().profiles.find(({ name }) => name === profile)?.narrower ?? [];
  const [days, setDays] = useState("90");
  const [narrowed, setNarrowed] = useState("");
  const labels = {
    name: t("Name"),
    days: t("Valid for"),
    profile: t("Profile"),
    networks: t("Networks"),
  };
  const { errors, isPending, submit } = useSubmission(labels);

  function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = (name: string) => String(form.get(name) ?? "").trim();
    void submit(async () => {
      const { key } = await createKey(id, {
        name: given("name"),
        ...(days ? { days: Number(days) } : {}),
        ...(narrowed ? { profile: narrowed } : {}),
        ...(given("networks") ? { networks: given("networks") } : {}),
      });
      onText(key);
      onCreated();
    });
  }

  return (
    <Form className="dialog-form" onSubmit={create}>
      {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
      <TextField
        label={labels.name}
        name="name"
        description={t("What the key is for, such as nightly import.")}
        error={errors.fields["name"]}
        autoComplete="off"
        isRequired
        autoFocus
      />
      <SelectField
        label={labels.days}
        value={days}
        onChange={setDays}
        choices={DAYS.map(({ value, label }) => ({ value, label: label() }))}
        description={days ? undefined : t("A key that nobody remembers stays valid.")}
        error={errors.fields["days"]}
      />
      <TextField
        label={labels.networks}
        name="networks"
        description={t("From where it can be sent, such as 203.0.113.0/24. Leave it empty for anywhere.")}
        error={errors.fields["networks"]}
        autoComplete="off"
      />
      {narrower.length > 0 && (
        <SelectField
          label={labels.profile}
          value={narrowed}
          onChange={setNarrowed}
          choices={[
            { value: "", label: t("As the member") },
            ...narrower.map((name) => ({ value: name, label: name })),
          ]}
          description={t("A narrower profile lets the key do less.")}
          error={errors.fields["profile"]}
        />
      )}
      <DialogButtons>
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          {t("Create the key")}
        </Button>
      </DialogButtons>
    </Form>
  );
}

function NewKey({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);

  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  }

  return (
    <>
      <Banner kind="warning">{t("The service shows the key only now. Keep it where secrets belong.")}</Banner>
      <TextField
        label={t("API key")}
        value={text}
        isReadOnly
        isMultiline
        autoFocus
        onFocus={(event) => event.target.select()}
      />
      <span role="status" className="visually-hidden">
        {isCopied && t("Copied")}
      </span>
      <DialogButtons>
        <Button icon={isCopied ? Check : Copy} onPress={() => void copy()}>
          {isCopied ? t("Copied") : t("Copy")}
        </Button>
        <Button variant="primary" onPress={onClose}>
          {t("Done")}
        </Button>
      </DialogButtons>
    </>
  );
}
