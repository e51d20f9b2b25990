// Asks whether to leave a page with unsaved changes.

import { t } from "../messages/messages";
import { Button } from "./button";
import { Dialog, DialogButtons } from "./dialog";
import { useAskedToLeave } from "./leaving";

export function LeaveDialog() {
  const { isAsked, stay, go } = useAskedToLeave();
  return (
    <Dialog title={t("Leave without saving?")} isOpen={isAsked} onClose={stay} role="alertdialog">
      <p>{t("What you have changed on this page isn't saved.")}</p>
      <DialogButtons>
        <Button variant="danger" onPress={go}>
          {t("Leave")}
        </Button>
        <Button variant="primary" onPress={stay} autoFocus>
          {t("Stay")}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
