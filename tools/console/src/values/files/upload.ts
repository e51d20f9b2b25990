// Uploads a file: in one request, or, if it is large, in several, which continue after the connection was lost.

import { errorOf } from "../../service/response";
import { transfer } from "../../service/transfer";
import type { PendingFile } from "./file_value";

/** Bytes. One request carries a little more than this. */
export const SMALL = 4_000_000;

export interface Upload {
  readonly file: File;
  readonly address: string;
  readonly signal: AbortSignal;
  /** Is told how many bytes have been sent. */
  readonly onProgress: (sent: number) => void;
  /** Is told whether the upload waits until the service can be reached again. */
  readonly onWaiting: (isWaiting: boolean) => void;
}

/** Uploads a file, and returns the reference that an object takes as its value. */
export async function upload(given: Upload): Promise<PendingFile> {
  if (given.file.size <= SMALL) return uploadAtOnce(given);
  const { uploadInParts } = await import("./upload_in_parts");
  return uploadInParts(given);
}

async function uploadAtOnce({ file, address, signal, onProgress }: Upload): Promise<PendingFile> {
  const body = new FormData();
  body.append("file", file, file.name);
  const headers = { accept: "application/json" };
  const response = await transfer({ method: "POST", address, headers, body, onProgress, signal });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as PendingFile;
}
