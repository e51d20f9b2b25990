// What all pages of the member's own account have.

import type { ReactNode } from "react";
import { paths } from "../app/routes";
import { Page, Tabs } from "../components/layout";
import { t } from "../messages/messages";
import { useMember } from "../session/member";

export function AccountFrame({ children }: { readonly children: ReactNode }) {
  const { username } = useMember();
  return (
    <Page title={t("Your account")} description={username} isNarrow>
      <Tabs
        label={t("Your account")}
        tabs={[
          { label: t("Preferences"), to: paths.account() },
          { label: t("Sign-in"), to: paths.account("sign-in") },
          { label: t("Sessions"), to: paths.account("sessions") },
          { label: t("API keys"), to: paths.account("keys") },
        ]}
      />
      {children}
    </Page>
  );
}
