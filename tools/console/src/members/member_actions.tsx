// What administrators do with a member: a menu, and the dialogs that it opens.

import { useQueryClient } from "@tanstack/react-query";
import { Ban, CircleCheck, Ellipsis, KeyRound, Mail, Trash2, UserRoundPen } from "lucide-react";
import { type ComponentType, useState } from "react";
import { useLocation } from "wouter";
import { paths } from "../app/routes";
import { Button } from "../components/button";
import { ConfirmDialog } from "../components/dialog";
import { Menu, MenuItem, MenuSeparator } from "../components/menu";
import { showToast } from "../components/toast";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { HandOverDialog } from "./hand_over_dialog";
import { changeMember, deleteMember, type MemberRecord, resetPassword } from "./requests";
import { SetPasswordDialog } from "./set_password_dialog";

export interface MemberDialogProps {
  readonly member: MemberRecord;
  readonly onClose: () => void;
}

type Action = "DISABLE" | "ENABLE" | "MAIL" | "PASSWORD" | "HAND_OVER" | "DELETE";

const DIALOGS: Readonly<Record<Action, ComponentType<MemberDialogProps>>> = {
  DISABLE: DisableDialog,
  ENABLE: EnableDialog,
  MAIL: MailDialog,
  PASSWORD: SetPasswordDialog,
  HAND_OVER: HandOverDialog,
  DELETE: DeleteDialog,
};

export function MemberActions({ member }: { readonly member: MemberRecord }) {
  const [action, setAction] = useState<Action | null>(null);
  const isOwn = useMember().id === member.id;
  const isPerson = member.kind !== "program";
  const Chosen = action && DIALOGS[action];
  return (
    <>
      <Menu label={t("Actions")} trigger={<Button icon={Ellipsis}>{t("Actions")}</Button>}>
        {isPerson && (
          <MenuItem icon={Mail} onAction={() => setAction("MAIL")}>
            {t("Email a link for a new password…")}
          </MenuItem>
        )}
        {isPerson && !isOwn && (
          <MenuItem icon={KeyRound} onAction={() => setAction("PASSWORD")}>
            {t("Set a password…")}
          </MenuItem>
        )}
        <MenuItem icon={UserRoundPen} onAction={() => setAction("HAND_OVER")}>
          {t("Hand over objects…")}
        </MenuItem>
        <MenuItem
          icon={member.disabled ? CircleCheck : Ban}
          onAction={() => setAction(member.disabled ? "ENABLE" : "DISABLE")}
        >
          {member.disabled ? t("Enable…") : t("Disable…")}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={Trash2} isDanger onAction={() => setAction("DELETE")}>
          {t("Delete…")}
        </MenuItem>
      </Menu>
      {Chosen && <Chosen member={member} onClose={() => setAction(null)} />}
    </>
  );
}

function useReadAgain(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["members"] });
}

function DisableDialog({ member: { id, username }, onClose }: MemberDialogProps) {
  const readAgain = useReadAgain();
  return (
    <ConfirmDialog
      title={t("Disable {username}?", { username })}
      isOpen
      onClose={onClose}
      action={t("Disable")}
      variant="danger"
      onConfirm={async () => {
        await changeMember(id, { disabled: true });
        await readAgain();
      }}
    >
      <p>{t("All sessions end, and API keys are refused, until you enable the member. Objects stay.")}</p>
    </ConfirmDialog>
  );
}

function EnableDialog({ member: { id, username }, onClose }: MemberDialogProps) {
  const readAgain = useReadAgain();
  return (
    <ConfirmDialog
      title={t("Enable {username}?", { username })}
      isOpen
      onClose={onClose}
      action={t("Enable")}
      onConfirm={async () => {
        await changeMember(id, { disabled: false });
        await readAgain();
      }}
    >
      <p>{t("The member can sign in again, and the API keys work again.")}</p>
    </ConfirmDialog>
  );
}

function MailDialog({ member: { id, email }, onClose }: MemberDialogProps) {
  return (
    <ConfirmDialog
      title={t("Email a link for a new password?")}
      isOpen
      onClose={onClose}
      action={t("Send the email")}
      onConfirm={async () => {
        await resetPassword(id);
        showToast(t("An email with a link is on its way to {email}.", { email }));
      }}
    >
      <p>{t("The link goes to {email}. It works once, within an hour.", { email })}</p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ member: { id, username }, onClose }: MemberDialogProps) {
  const readAgain = useReadAgain();
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title={t("Delete {username}?", { username })}
      isOpen
      onClose={onClose}
      action={t("Delete the member")}
      variant="danger"
      onConfirm={async () => {
        await deleteMember(id);
        navigate(paths.members());
        await readAgain();
      }}
    >
      <p>
        {t(
          "You can't undo this. Objects that the member owns stay. To give them another owner, hand them over first.",
        )}
      </p>
    </ConfirmDialog>
  );
}
