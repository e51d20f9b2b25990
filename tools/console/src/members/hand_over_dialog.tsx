// Gives the objects of a member to another one.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Form } from "react-aria-components";
import { Button } from "../components/button";
import { Dialog, DialogButtons } from "../components/dialog";
import { Banner } from "../components/feedback";
import { SelectField } from "../components/field";
import { Facts } from "../components/layout";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import type { MemberDialogProps } from "./member_actions";
import { MemberPicker } from "./member_picker";
import { type HandOverResult, handOver } from "./requests";
import { useSubmission } from "./use_submission";

const OWNER = "_ownedby";

export function HandOverDialog({ member, onClose }: MemberDialogProps) {
  const [result, setResult] = useState<HandOverResult | null>(null);
  const { username } = member;
  return (
    <Dialog title={t("Hand over objects of {username}", { username })} isOpen onClose={onClose}>
      {result ? (
        <Result result={result} onAgain={() => setResult(null)} onClose={onClose} />
      ) : (
        <HandOverForm member={member} onClose={onClose} onDone={setResult} />
      )}
    </Dialog>
  );
}

interface HandOverFormProps extends MemberDialogProps {
  readonly onDone: (result: HandOverResult) => void;
}

function HandOverForm({ member, onClose, onDone }: HandOverFormProps) {
  const owned = useModel().classes.filter(({ platformAttributes }) => platformAttributes.includes(OWNER));
  const client = useQueryClient();
  const [to, setTo] = useState("");
  const [class_, setClass] = useState("");
  const labels = { to: t("New owner"), class: t("Class") };
  const { errors, isPending, submit, refuse } = useSubmission(labels);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (!to) {
      refuse({ to: t("Choose a member.") });
      return;
    }
    await submit(async () => {
      onDone(await handOver(member.id, { to, ...(class_ ? { class: class_ } : {}) }));
      await client.invalidateQueries({ queryKey: ["list"] });
      await client.invalidateQueries({ queryKey: ["object"] });
    });
  }

  return (
    <Form className="dialog-form" onSubmit={(event) => void save(event)}>
      {errors.rest && <Banner kind="error">{errors.rest}</Banner>}
      <MemberPicker
        label={labels.to}
        value={to}
        onChange={setTo}
        error={errors.fields["to"]}
        without={member.id}
      />
      <SelectField
        label={labels.class}
        value={class_}
        onChange={setClass}
        choices={[
          { value: "", label: t("All classes") },
          ...owned.map(({ name }) => ({ value: name, label: titleOf(name) })),
        ]}
        description={t("Classes that record owners.")}
        error={errors.fields["class"]}
      />
      <DialogButtons>
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          {t("Hand over")}
        </Button>
      </DialogButtons>
    </Form>
  );
}

interface ResultProps {
  readonly result: HandOverResult;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Result({ result: { complete, handedOver, locked, refused }, onAgain, onClose }: ResultProps) {
  const isDone = complete && locked === 0 && refused === 0;
  return (
    <>
      <Banner kind={isDone ? "done" : "warning"}>{textOf({ complete, locked, refused })}</Banner>
      <Facts
        facts={[
          [t("Handed over"), String(handedOver)],
          [t("Locked by others"), String(locked)],
          [t("Not writable"), String(refused)],
        ]}
      />
      <DialogButtons>
        {!isDone && <Button onPress={onAgain}>{t("Hand over again")}</Button>}
        <Button variant="primary" onPress={onClose}>
          {t("Done")}
        </Button>
      </DialogButtons>
    </>
  );
}

function textOf({ complete, locked, refused }: Omit<HandOverResult, "handedOver">): string {
  if (!complete) return t("The time was not enough for all objects. Hand over again to go on.");
  if (locked > 0) return t("Some objects are locked. Unlock them, and hand over again.");
  if (refused > 0) return t("Some objects can't be written, for example because of a blocking warning.");
  return t("All objects have the new owner.");
}
