// The member's language, time zone and formats.

import { useQueryClient } from "@tanstack/react-query";
import { PreferencesForm } from "../members/preferences_form";
import { changeMember } from "../members/requests";
import { useMember } from "../session/member";
import { AccountFrame } from "./account_frame";

export default function PreferencesPage() {
  const member = useMember();
  const client = useQueryClient();
  const { language, timeZone, dateFormat, timeFormat } = member;
  return (
    <AccountFrame>
      <PreferencesForm
        preferences={{ language, timeZone, dateFormat, timeFormat }}
        onSave={async (changed) => {
          await changeMember(member.id, changed);
          // All dates that were read are in the former formats.
          await client.invalidateQueries();
        }}
      />
    </AccountFrame>
  );
}
