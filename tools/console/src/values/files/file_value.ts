// Files as values of attributes: of an object, uploaded and pending, or being uploaded.

import { currentLanguage } from "../../messages/messages";

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

/** What stands for the value while a file is uploaded. */
export interface UploadingFile {
  readonly uploading: string;
}

export function isPending(file: FileValue): file is PendingFile {
  return "pendingFileId" in file;
}

export function isUploading(value: unknown): value is UploadingFile {
  return typeof value === "object" && value !== null && "uploading" in value;
}

/** Milliseconds for which the service keeps a file that no object has taken. */
export const PENDING_FOR = 3_600_000;
const uploadedAt = new Map<string, number>();

/** Takes note that a file has just been uploaded. Its own date is in the member's format. */
export function noteUpload({ pendingFileId }: PendingFile): void {
  uploadedAt.set(pendingFileId, Date.now());
}

/** Returns the milliseconds for which the service still keeps a pending file. */
export function remainingTime({ pendingFileId }: PendingFile): number {
  return (uploadedAt.get(pendingFileId) ?? Date.now()) + PENDING_FOR - Date.now();
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** Returns a number of bytes in the largest unit of which there is one, as "1.4 MB". */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const format = {
    style: "unit",
    unit: UNITS[power],
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(currentLanguage(), format as Intl.NumberFormatOptions).format(
    bytes / 1000 ** power,
  );
}
