// Dialogs that ask before they do something, or hold a short form.

import "./overlays.css";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { t } from "../messages/messages";
import { asServiceError } from "../service/errors";
import { Button, type ButtonVariant, IconButton } from "./button";
import { Banner } from "./feedback";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
  /** Whether only the dialog's own buttons close it. */
  readonly isStrict?: boolean;
  readonly role?: "dialog" | "alertdialog";
}

export function Dialog({ title, isOpen, onClose, children, isWide, isStrict, role }: DialogProps) {
  return (
    <ModalOverlay
      className="veil"
      isOpen={isOpen}
      onOpenChange={(open) => open || onClose()}
      isDismissable={!isStrict}
      isKeyboardDismissDisabled={isStrict ?? false}
    >
      <Modal className={isWide ? "dialog-frame dialog-frame-wide" : "dialog-frame"}>
        <AriaDialog className="dialog" {...(role ? { role } : {})}>
          <div className="dialog-header">
            <Heading slot="title" level={2} className="user-text">
              {title}
            </Heading>
            {!isStrict && <IconButton icon={X} label={t("Close")} isSmall onPress={onClose} />}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The buttons at the end of a dialog. The last one is what the dialog is for. */
export function DialogButtons({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-buttons">{children}</div>;
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children?: ReactNode;
  /** What the button says, such as "Delete 3 objects". */
  readonly action: string;
  readonly variant?: ButtonVariant;
  /** Does it. The dialog closes when the promise is fulfilled, and shows why it is rejected. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks whether to do something. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  children,
  action,
  variant = "primary",
  onConfirm,
}: ConfirmDialogProps) {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState("");

  async function confirm() {
    setPending(true);
    setError("");
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(asServiceError(failure).message);
    } finally {
      setPending(false);
    }
  }

  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} role="alertdialog">
      {children}
      {error && <Banner kind="error">{error}</Banner>}
      <DialogButtons>
        <Button onPress={onClose}>{t("Cancel")}</Button>
        <Button variant={variant} isPending={isPending} onPress={confirm}>
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
