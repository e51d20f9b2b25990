// The API keys of a member. Administrators make keys for programs, and for themselves.

import type { PageProps } from "../app/routes";
import { t } from "../messages/messages";
import { useMember } from "../session/member";
import { KeysSection } from "./keys_section";
import { MemberFrame } from "./member_frame";

export default function MemberKeysPage({ params }: PageProps) {
  const own = useMember();
  return (
    <MemberFrame id={params["id"] ?? ""}>
      {({ id, kind, profile }) => (
        <KeysSection
          id={id}
          profile={profile}
          canCreate={kind === "program" || id === own.id}
          description={
            kind === "program"
              ? t("What the program sends to sign in.")
              : t("Persons make their keys themselves. You can end them.")
          }
        />
      )}
    </MemberFrame>
  );
}
