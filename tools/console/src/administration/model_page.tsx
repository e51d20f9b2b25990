// The model for administrators, with its text.

import { CircleAlert } from "lucide-react";
import { EmptyState } from "../components/feedback";
import { t } from "../messages/messages";
import { ModelText } from "./model_text/model_text";
import { ModelViews } from "./model_views";
import { ServiceFrame } from "./service_frame";
import type { ModelReport } from "./service_report";

export default function ModelPage() {
  return <ServiceFrame>{({ model }) => <ModelViews text={<Text {...model} />} />}</ServiceFrame>;
}

function Text({ text, file }: ModelReport) {
  if (text !== null) return <ModelText text={text} file={file} />;
  return (
    <div className="card">
      <EmptyState icon={CircleAlert} title={t("The text isn't known")}>
        {t("The process that answered has only the prepared model.")}
      </EmptyState>
    </div>
  );
}
