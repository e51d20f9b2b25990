// The page of an object.

import "./object.css";
import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { type PageProps, paths } from "../app/routes";
import { useAsOf } from "../as_of/as_of";
import { ButtonLink } from "../components/button";
import { EmptyState, ErrorState, Loading } from "../components/feedback";
import { Page } from "../components/layout";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { isReadAlone } from "../documents/object";
import { canWrite } from "../documents/write";
import { t } from "../messages/messages";
import { ObjectEditor } from "./object_editor";
import { objectQuery } from "./object_query";

export default function ObjectPage({ params }: PageProps) {
  const { class: className = "", id = "" } = params;
  const class_ = useModel().find(className);
  const asOf = useAsOf();
  if (!class_ || !isReadAlone(class_)) return <NoObject className={className} />;
  // A class without versions is shown as it is.
  const instant = class_.versioned ? asOf : null;
  return (
    <StoredObjectPage
      key={`${id} ${instant}`}
      class_={class_}
      id={id}
      asOf={instant}
      isPast={asOf !== null}
    />
  );
}

interface StoredObjectPageProps {
  readonly class_: ModelClass;
  readonly id: string;
  readonly asOf: string | null;
  /** Whether the console shows the past, in which nothing is written. */
  readonly isPast: boolean;
}

/** Reads an object, and shows it in a form if the member may change it. */
export function StoredObjectPage({ class_, id, asOf, isPast }: StoredObjectPageProps) {
  const model = useModel();
  const isReadOnly = isPast || !canWrite(class_, "update");
  const mode = isReadOnly ? "shown" : "edited";
  const { data, error, refetch } = useQuery(objectQuery(model, class_, id, mode, asOf));
  if (data) return <ObjectEditor class_={class_} stored={data} asOf={asOf} isReadOnly={isReadOnly} />;
  if (data === null) return <NoObject className={class_.name} isPast={asOf !== null} />;
  return (
    <Page
      title={titleOf(class_.name)}
      breadcrumbs={[{ label: titleOf(class_.name), to: paths.list(class_.name) }]}
    >
      <div className="card">
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />}
      </div>
    </Page>
  );
}

interface NoObjectProps {
  readonly className: string;
  readonly isPast?: boolean;
}

function NoObject({ className, isPast = false }: NoObjectProps) {
  const class_ = useModel().find(className);
  return (
    <Page title={t("Object not found")}>
      <div className="card">
        <EmptyState
          icon={SearchX}
          title={isPast ? t("It did not exist at that instant") : t("There is no such object")}
          actions={class_ && <ButtonLink to={paths.list(className)}>{t("Show the list")}</ButtonLink>}
        >
          {isPast
            ? t("Choose another instant, or go back to now.")
            : t("It may have been deleted, or you may not see it.")}
        </EmptyState>
      </div>
    </Page>
  );
}
