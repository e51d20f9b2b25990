// The list of a class.

import { SearchX } from "lucide-react";
import { Redirect } from "wouter";
import { type PageProps, paths } from "../app/routes";
import { ButtonLink } from "../components/button";
import { EmptyState } from "../components/feedback";
import { Page } from "../components/layout";
import { offers } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { ClassList } from "./class_list";

export default function ListPage({ params }: PageProps) {
  const name = params["class"] ?? "";
  const class_ = useModel().find(name);
  if (class_?.kind === "SINGLETON") return <Redirect to={paths.singleton(name)} replace />;
  if (class_ && offers(class_, "getPage")) return <ClassList class_={class_} />;
  return (
    <Page title={titleOf(name)}>
      <div className="card">
        <EmptyState
          icon={SearchX}
          title={t("There is no such list")}
          actions={<ButtonLink to={paths.home()}>{t("Go to the start")}</ButtonLink>}
        >
          {t("The model has no class {name}, or you may not see its objects.", { name })}
        </EmptyState>
      </div>
    </Page>
  );
}
