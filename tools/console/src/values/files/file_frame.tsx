// The frame of a file's field: files can be dropped on it, and it keeps the focus of buttons that go away.

import "./files.css";
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react";

interface FileFrameProps {
  readonly isEmpty: boolean;
  readonly isInvalid: boolean;
  /** Takes a file that is dropped. Null if none can be taken now. */
  readonly onTake: ((file: File | undefined) => void) | null;
  readonly children: ReactNode;
}

export function FileFrame({ isEmpty, isInvalid, onTake, children }: FileFrameProps) {
  const [isOver, setOver] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) {
      frame.current?.querySelector<HTMLElement>("button:not([disabled])")?.focus();
    }
  });

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    onTake?.(event.dataTransfer.files[0]);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file only adds to the buttons.
    <div
      ref={frame}
      className="file-field"
      data-empty={isEmpty || undefined}
      data-invalid={isInvalid || undefined}
      data-over={isOver || undefined}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={(event) => {
        hadFocus.current = event.relatedTarget === null;
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(onTake !== null);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
    </div>
  );
}
