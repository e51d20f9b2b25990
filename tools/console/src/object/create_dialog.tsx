// Creates an object that a role is to lead to, without leaving the form.

import { Dialog } from "../components/dialog";
import { useLeaveGuard } from "../components/leaving";
import type { ModelClass } from "../description/model";
import { titleOf } from "../description/sidebar";
import { useModel } from "../description/use_model";
import { t } from "../messages/messages";
import { type Reference, referenceOf } from "./draft";
import { NewObject } from "./new_object";
import { newDraft } from "./reading";
import { useObjectForm } from "./use_object_form";

interface CreateDialogProps {
  readonly class_: ModelClass;
  readonly onClose: () => void;
  readonly onCreated: (created: Reference) => void;
}

export default function CreateDialog({ class_, onClose, onCreated }: CreateDialogProps) {
  const form = useObjectForm({ model: useModel(), class_, original: newDraft(class_) });
  useLeaveGuard(form.isChanged);
  return (
    <Dialog
      title={t("New {class}", { class: titleOf(class_.name) })}
      isOpen
      isWide
      isStrict
      onClose={onClose}
    >
      <NewObject
        class_={class_}
        form={form}
        onCancel={onClose}
        onCreated={(created) => {
          const reference = referenceOf(created);
          if (reference) onCreated(reference);
        }}
      />
    </Dialog>
  );
}
