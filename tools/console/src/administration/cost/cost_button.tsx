// A button for administrators that shows what the query of a page costs. It asks for that only when pressed.

import { Gauge } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../components/button";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import type { Variables } from "../../service/graphql";

const CostDialog = lazy(() => import("./cost_dialog"));

interface CostButtonProps {
  /** The document with which the page asks for what it shows. */
  readonly document: string;
  readonly variables?: Variables;
}

export function CostButton({ document, variables = {} }: CostButtonProps) {
  const { isAdministrator } = useModel();
  const [isOpen, setOpen] = useState(false);
  if (!isAdministrator) return null;
  return (
    <>
      <Button icon={Gauge} variant="quiet" onPress={() => setOpen(true)}>
        {t("Cost")}
      </Button>
      {isOpen && (
        <Suspense>
          <CostDialog document={document} variables={variables} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
