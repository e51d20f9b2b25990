// A file in a table: its name.

import { Paperclip } from "lucide-react";
import type { CellProps } from "../value_type";
import type { FileValue } from "./file_value";

export function FileCell({ value }: CellProps) {
  return (
    <span className="file-cell">
      <Paperclip size={14} aria-hidden />
      <span className="user-text">{(value as FileValue).name}</span>
    </span>
  );
}
