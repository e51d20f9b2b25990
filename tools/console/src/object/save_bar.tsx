// The bar at the end of a form that says what is unsaved, and saves it.

import { Eye } from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import { Button } from "../components/button";
import { t } from "../messages/messages";
import { countOfErrors } from "./form_issues";
import type { ObjectForm } from "./use_object_form";

interface SaveBarProps {
  readonly form: ObjectForm;
  /** What saving does, such as "Save" or "Create". */
  readonly action: string;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly discardLabel?: string;
  /** Shows what saving would change. Absent if the member can't ask for it. */
  readonly onPreview?: (() => void) | undefined;
  readonly previewLabel?: string;
}

export function SaveBar(props: SaveBarProps) {
  const { form, action, onSave, onDiscard, onPreview } = props;
  const bar = useRef<HTMLElement>(null);
  useSaveShortcut(onSave, bar);
  const errors = countOfErrors(form);
  return (
    <section ref={bar} className="save-bar" aria-label={t("Saving")}>
      <p role="status" className={errors ? "save-bar-text is-error" : "save-bar-text"}>
        {errors ?? (form.isChanged ? t("Unsaved changes") : "")}
      </p>
      <div className="save-bar-buttons">
        <Button variant="quiet" onPress={onDiscard} isDisabled={form.isSaving}>
          {props.discardLabel ?? t("Discard")}
        </Button>
        {onPreview && (
          <Button icon={Eye} onPress={onPreview} isDisabled={form.isSaving}>
            {props.previewLabel ?? t("Preview changes")}
          </Button>
        )}
        <Button variant="primary" onPress={onSave} isPending={form.isSaving}>
          {action}
        </Button>
      </div>
    </section>
  );
}

/** Saves with Ctrl+S, or Cmd+S on a Mac. A form behind a dialog is not saved. */
export function useSaveShortcut(onSave: () => void, bar?: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      const top = [...document.querySelectorAll(".veil")].at(-1);
      if (top && !top.contains(bar?.current ?? null)) return;
      // A field hands over what was typed when it is left.
      (document.activeElement as HTMLElement | null)?.blur();
      onSave();
    };
    // Before the fields, some of which keep their keys to themselves.
    window.addEventListener("keydown", listen, true);
    return () => window.removeEventListener("keydown", listen, true);
  }, [onSave, bar]);
}
