// File: bytes that are uploaded and downloaded apart from the object.

import { lazy } from "react";
import { currentLanguage } from "../../messages/messages";
import { defineValueType, PRESENCE } from "../value_type";

/** A file of an object, as the API shows it. */
export interface StoredFile {
  readonly fileId?: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  /** Where it is downloaded from. */
  readonly link: string;
}

/** A file that is uploaded and belongs to no object yet, as inputs of the API take it. */
export interface PendingFile {
  readonly pendingFileId: string;
  readonly fileId: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly uploadedOn: string;
}

export type FileValue = StoredFile | PendingFile;

export function isPending(file: FileValue): file is PendingFile {
  return "pendingFileId" in file;
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** Returns a number of bytes in the largest unit of which there is one, as "1.4 MB". */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const format = {
    style: "unit",
    unit: UNITS[power],
    unitDisplay: "short",
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(currentLanguage(), format as Intl.NumberFormatOptions).format(
    bytes / 1000 ** power,
  );
}

export const fileType = defineValueType({
  isWide: true,
  operators: PRESENCE,
  shown: " { name mimeType size link }",
  edited: " { fileId name mimeType size link }",
  toText: (value) => (value as FileValue).name,
  isSame: (one, other) => (one as FileValue).fileId === (other as FileValue).fileId,
  Editor: lazy(async () => ({ default: (await import("./file_editor")).FileEditor })),
});
