// The buttons for what can be done with the selected objects of a list.

import { Pencil, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../components/button";
import type { ModelClass } from "../../description/model";
import { type BulkKind, canWriteMany } from "../../documents/bulk";
import { t } from "../../messages/messages";

const DIALOGS = {
  update: lazy(() => import("./bulk_edit_dialog")),
  delete: lazy(() => import("./bulk_delete_dialog")),
} as const;

export interface BulkDialogProps {
  readonly class_: ModelClass;
  /** The options of the API that select the objects. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly onClose: () => void;
  /** All objects have been written. */
  readonly onDone: () => void;
}

type BulkActionsProps = Omit<BulkDialogProps, "onClose">;

export function BulkActions(props: BulkActionsProps) {
  const [opened, setOpened] = useState<BulkKind | null>(null);
  const Dialog = opened && DIALOGS[opened];
  return (
    <>
      {canWriteMany(props.class_, "update") && (
        <Button isSmall icon={Pencil} onPress={() => setOpened("update")}>
          {t("Edit…")}
        </Button>
      )}
      {canWriteMany(props.class_, "delete") && (
        <Button isSmall variant="danger" icon={Trash2} onPress={() => setOpened("delete")}>
          {t("Delete…")}
        </Button>
      )}
      {Dialog && (
        <Suspense>
          <Dialog {...props} onClose={() => setOpened(null)} />
        </Suspense>
      )}
    </>
  );
}
