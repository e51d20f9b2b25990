// The API keys of the member's programs.

import { useModel } from "../description/use_model";
import { KeysSection } from "../members/keys_section";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { AccountFrame } from "./account_frame";

export default function KeysPage() {
  const { id } = useMember();
  const { profile } = useModel().description;
  return (
    <AccountFrame>
      <KeysSection
        id={id}
        profile={profile}
        canCreate
        description={t("A program sends a key instead of your password. It can't change your account.")}
      />
    </AccountFrame>
  );
}
