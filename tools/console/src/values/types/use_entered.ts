// What a field of a date or a time shows: the value of the form, or what the member has typed so far.

import { type RefObject, useMemo, useRef, useState } from "react";
import type { EditorProps } from "../value_type";

interface Entered<T> {
  /** What the field shows. It stays the same object while the member types. */
  readonly shown: T | null;
  readonly isLeft: boolean;
  readonly change: (date: T | null) => void;
  /** To be called when the member leaves the field. `group` has its segments. */
  readonly leave: () => void;
  readonly group: RefObject<HTMLDivElement | null>;
}

/**
 * Connects a form's value with a field.
 *
 * A date of which parts are missing is handed over as the text in the field, so that the form knows that it is
 * not the value which was there before. `read` returns null for such texts.
 */
export function useEntered<T>(
  { value, onChange, onBlur }: EditorProps,
  read: (text: string) => T | null,
  write: (date: T) => string,
): Entered<T> {
  const parsed = useMemo(() => (typeof value === "string" ? read(value) : null), [value, read]);
  const isRead = (text: unknown) => typeof text === "string" && read(text) !== null;
  const [held, setHeld] = useState<{ readonly value: unknown; readonly shown: T | null } | null>(null);
  const [isLeft, setLeft] = useState(true);
  const group = useRef<HTMLDivElement>(null);
  const shown = held && Object.is(held.value, value) ? held.shown : parsed;
  // Leaving the field may change it first, before anything is drawn again.
  const latest = useRef({ value, shown });
  latest.current = { value, shown };

  function hand(next: unknown, date: T | null) {
    if (!Object.is(next, latest.current.value)) onChange(next);
    latest.current = { value: next, shown: date };
    setHeld(latest.current);
  }

  function change(date: T | null) {
    setLeft(false);
    hand(date === null ? null : write(date), date);
  }

  function leave() {
    const { shown: date } = latest.current;
    const extent = extentOf(group.current);
    if (extent === "PARTIAL") hand(group.current?.textContent ?? "", date);
    else if (extent === "EMPTY") hand(null, null);
    else if (date !== null && !isRead(latest.current.value)) hand(write(date), date);
    if (extent === "COMPLETE") setHeld(null);
    setLeft(true);
    onBlur?.();
  }

  return { shown, isLeft, change, leave, group };
}

function extentOf(group: HTMLElement | null): "EMPTY" | "PARTIAL" | "COMPLETE" {
  const segments = [...(group?.querySelectorAll('[role="spinbutton"]') ?? [])];
  const missing = segments.filter((segment) => segment.hasAttribute("data-placeholder")).length;
  if (missing === 0) return "COMPLETE";
  return missing === segments.length ? "EMPTY" : "PARTIAL";
}
