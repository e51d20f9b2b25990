// Where the console begins: what there is to do, or the first class.

import { Database } from "lucide-react";
import { Redirect } from "wouter";
import { paths } from "../app/routes";
import { EmptyState } from "../components/feedback";
import { Page } from "../components/layout";
import { isListed } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";

export default function HomePage() {
  const model = useModel();
  const first = model.classes.find(isListed);
  if (first) return <Redirect to={paths.class(first)} replace />;
  return (
    <Page title={model.description.application}>
      <div className="card">
        <EmptyState icon={Database} title={t("There is nothing to show")}>
          {t("The profile {profile} may use no class of the model.", { profile: model.description.profile })}
        </EmptyState>
      </div>
    </Page>
  );
}
