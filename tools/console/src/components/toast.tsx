// Short messages about what was done, which go away by themselves.

import "./feedback.css";
import { X } from "lucide-react";
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";
import { t } from "../messages/messages";
import { Button, IconButton } from "./button";

interface ToastMessage {
  readonly text: string;
  readonly action?: { readonly label: string; readonly onPress: () => void };
}

const queue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 3 });
const SHOWN = 6000; // milliseconds

/** Shows a message, with what can be done about it, such as to undo it. */
export function showToast(text: string, action?: ToastMessage["action"]): void {
  queue.add({ text, ...(action ? { action } : {}) }, { timeout: SHOWN });
}

export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts" aria-label={t("Messages")}>
      {({ toast }) => (
        <Toast toast={toast} className="toast">
          <ToastContent>
            <span slot="title" className="user-text">
              {toast.content.text}
            </span>
          </ToastContent>
          {toast.content.action && (
            <Button
              variant="quiet"
              isSmall
              onPress={() => {
                toast.content.action?.onPress();
                queue.close(toast.key);
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <IconButton slot="close" icon={X} label={t("Close")} isSmall />
        </Toast>
      )}
    </ToastRegion>
  );
}
