// Where a member is signed in.

import type { PageProps } from "../app/routes";
import { useMember } from "../session/member";
import { MemberFrame } from "./member_frame";
import { SessionsSection } from "./sessions_section";

export default function MemberSessionsPage({ params }: PageProps) {
  const own = useMember();
  return (
    <MemberFrame id={params["id"] ?? ""}>
      {({ id, username }) => <SessionsSection id={id} username={username} isOwn={id === own.id} />}
    </MemberFrame>
  );
}
