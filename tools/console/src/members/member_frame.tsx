// What all pages about one member have: the name, the tabs, and what can be done with the member.

import { useSuspenseQuery } from "@tanstack/react-query";
import { Bot } from "lucide-react";
import type { ReactNode } from "react";
import { paths } from "../app/routes";
import { Badge } from "../components/feedback";
import { Page, Tabs } from "../components/layout";
import { t } from "../messages/messages";
import { MemberActions } from "./member_actions";
import { type MemberRecord, memberRecordQuery } from "./requests";

interface MemberFrameProps {
  readonly id: string;
  readonly children: (member: MemberRecord) => ReactNode;
}

export function MemberFrame({ id, children }: MemberFrameProps) {
  const { data: member } = useSuspenseQuery(memberRecordQuery(id));
  return (
    <Page
      title={member.username}
      breadcrumbs={[{ label: t("Members"), to: paths.members() }]}
      beside={
        <>
          {member.kind === "program" && <Badge icon={Bot}>{t("Program")}</Badge>}
          {member.disabled && <Badge kind="error">{t("Disabled")}</Badge>}
        </>
      }
      actions={<MemberActions member={member} />}
      isNarrow
    >
      <Tabs
        label={t("Member")}
        tabs={[
          { label: t("Details"), to: paths.member(id) },
          { label: t("Sessions"), to: paths.member(id, "sessions") },
          { label: t("API keys"), to: paths.member(id, "keys") },
          { label: t("Audit trail"), to: paths.member(id, "audit") },
        ]}
      />
      {children(member)}
    </Page>
  );
}
