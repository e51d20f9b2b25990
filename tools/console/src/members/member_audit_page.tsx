// What happened around one member.

import type { PageProps } from "../app/routes";
import { AuditList } from "./audit_list";
import { MemberFrame } from "./member_frame";

export default function MemberAuditPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  return <MemberFrame id={id}>{() => <AuditList member={id} />}</MemberFrame>;
}
