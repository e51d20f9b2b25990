// The API keys of the member's programs.

import { KeysSection } from "../members/keys_section";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { AccountFrame } from "./account_frame";

export default function KeysPage() {
  const { id } = useMember();
  return (
    <AccountFrame>
      <KeysSection
        id={id}
        canCreate
        description={t("A program sends a key instead of your password. It can't change your account.")}
      />
    </AccountFrame>
  );
}
