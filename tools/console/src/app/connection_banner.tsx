// Says above the page that the service can't be used at the moment.

import { RotateCw } from "lucide-react";
import { Button } from "../components/button";
import { Banner } from "../components/feedback";
import { t } from "../messages/messages";
import { type ConnectionProblem, connection, useConnectionProblem } from "../service/connection";

const TEXTS: Readonly<Record<ConnectionProblem, () => string>> = {
  OFFLINE: () =>
    t("The service can't be reached. What you have typed stays. The console tries again by itself."),
  UNAVAILABLE: () =>
    t("The service can't do anything now. What you have typed stays. The console tries again by itself."),
};

export function ConnectionBanner() {
  const problem = useConnectionProblem();
  if (!problem) return null;
  return (
    <div className="connection-banner">
      <Banner
        kind="warning"
        actions={
          <Button isSmall icon={RotateCw} onPress={() => void connection.tryAgain()}>
            {t("Try again")}
          </Button>
        }
      >
        {TEXTS[problem]()}
      </Banner>
    </div>
  );
}
