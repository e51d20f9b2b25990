// The audit trail of all members, or of one.

import { useSearchParams } from "wouter";
import { Button } from "../components/button";
import { t } from "../messages/messages";
import { AuditList } from "./audit_list";
import { MemberPicker } from "./member_picker";
import { MembersFrame } from "./members_frame";

export default function AuditPage() {
  const [parameters, setParameters] = useSearchParams();
  const member = parameters.get("member") ?? "";
  const show = (id: string) => setParameters(id ? { member: id } : {}, { replace: true });
  return (
    <MembersFrame>
      <search className="filter-bar">
        <MemberPicker label={t("About the member")} value={member} onChange={show} isOptional />
        <div>{member && <Button onPress={() => show("")}>{t("Show all")}</Button>}</div>
      </search>
      <AuditList member={member || null} />
    </MembersFrame>
  );
}
