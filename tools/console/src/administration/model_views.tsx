// The views of the model: a diagram, a table, and for administrators its text.

import { Network, ScrollText, Table2 } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { Button } from "../components/button";
import { Loading } from "../components/feedback";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { ModelTable } from "./diagram/model_table";

const ModelDiagram = lazy(() => import("./diagram/model_diagram"));

type View = "diagram" | "table" | "text";

/** `text`: the text of the model, if the member may read it. */
export function ModelViews({ text }: { readonly text?: ReactNode }) {
  const model = useModel();
  const [view, setView] = useState<View>("diagram");
  const choices = [
    { view: "diagram", icon: Network, label: t("Diagram") },
    { view: "table", icon: Table2, label: t("Table") },
    ...(text ? [{ view: "text", icon: ScrollText, label: t("Text") } as const] : []),
  ] as const;
  return (
    <>
      <fieldset className="model-views" aria-label={t("View")}>
        {choices.map((choice) => (
          <Button
            key={choice.view}
            icon={choice.icon}
            isSmall
            aria-pressed={view === choice.view}
            onPress={() => setView(choice.view)}
          >
            {choice.label}
          </Button>
        ))}
      </fieldset>
      {view === "diagram" && (
        <Suspense fallback={<Loading />}>
          <ModelDiagram model={model} />
        </Suspense>
      )}
      {view === "table" && <ModelTable model={model} />}
      {view === "text" && text}
    </>
  );
}
