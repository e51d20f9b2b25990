// The dialog for an object that another member has deleted while this one was changing it.

import { useLocation } from "wouter";
import { paths } from "../../app/routes";
import { Button } from "../../components/button";
import { Dialog, DialogButtons } from "../../components/dialog";
import { Banner } from "../../components/feedback";
import { type ModelClass, offers } from "../../description/model";
import { titleOf } from "../../description/sidebar";
import { useModel } from "../../description/use_model";
import { t } from "../../messages/messages";
import type { Draft } from "../draft";
import { asNew } from "./merge";

interface DeletedDialogProps {
  readonly class_: ModelClass;
  readonly mine: Draft;
  /** Opens the form of a new object with what this member has filled in. */
  readonly onCreateAgain: (draft: Draft) => void;
  readonly onClose: () => void;
}

export default function DeletedDialog({ class_, mine, onCreateAgain, onClose }: DeletedDialogProps) {
  const model = useModel();
  const [, navigate] = useLocation();
  const canCreate = offers(class_, "create");
  const canRestore = offers(class_, "getDeletedPage");
  return (
    <Dialog title={t("This object no longer exists")} isOpen isStrict onClose={onClose}>
      <p>
        {t(
          "Another member has deleted it while you were changing it. What you have filled in is still here.",
        )}
      </p>
      {canCreate && (
        <p>
          {t("You can create a new object with it. Files that were stored with the old one are left out.")}
        </p>
      )}
      {!canCreate && !canRestore && (
        <Banner kind="warning">
          {t("You may not create objects of the class {class}.", { class: titleOf(class_.name) })}
        </Banner>
      )}
      <DialogButtons>
        <Button onPress={onClose}>{t("Close")}</Button>
        {canRestore && (
          <Button onPress={() => navigate(paths.deleted(class_.name))}>{t("Find deleted objects")}</Button>
        )}
        {canCreate && (
          <Button variant="primary" onPress={() => onCreateAgain(asNew(model, mine))}>
            {t("Create again as a copy")}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  );
}
