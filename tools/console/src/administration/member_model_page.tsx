// The model as every member may see it.

import { Page } from "../components/layout";
import { t } from "../messages/messages";
import "./administration.css";
import { ModelViews } from "./model_views";

export default function MemberModelPage() {
  return (
    <Page title={t("Model")} description={t("The classes that you may use, and how they belong together.")}>
      <ModelViews />
    </Page>
  );
}
