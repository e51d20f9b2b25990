// Where the member is signed in.

import { SessionsSection } from "../members/sessions_section";
import { useMember } from "../session/member";
import { AccountFrame } from "./account_frame";

export default function SessionsPage() {
  const { id, username } = useMember();
  return (
    <AccountFrame>
      <SessionsSection id={id} username={username} isOwn />
    </AccountFrame>
  );
}
