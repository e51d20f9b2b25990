// What the list of the members and the audit trail have in common.

import type { ReactNode } from "react";
import { paths } from "../app/routes";
import { Page, Tabs } from "../components/layout";
import { t } from "../messages/messages";

interface MembersFrameProps {
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function MembersFrame({ actions, children }: MembersFrameProps) {
  return (
    <Page title={t("Members")} actions={actions}>
      <Tabs
        label={t("Members")}
        tabs={[
          { label: t("All members"), to: paths.members() },
          { label: t("Audit trail"), to: paths.audit() },
        ]}
      />
      {children}
    </Page>
  );
}
