// Downloads files with the member's token: a link alone has no credentials.

import { t } from "../../messages/messages";
import { ServiceError } from "../../service/errors";
import { send } from "../../service/request";

/** Bytes. Larger files are downloaded in ranges of this size, because one answer of the service has a limit. */
const RANGE = 32 * 1024 * 1024;

interface Download {
  readonly address: string;
  readonly size: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (received: number) => void;
}

/** Returns the bytes of a file. All of them are of one file, also if the object gets another one meanwhile. */
export async function download({ address, size, signal, onProgress }: Download): Promise<Blob> {
  const options = signal ? { signal } : {};
  if (size <= RANGE) return bytesOf(await send(address, options), signal);
  const parts: Blob[] = [];
  let etag: string | null = null;
  for (let start = 0; start < size; start += RANGE) {
    const end = Math.min(start + RANGE, size) - 1;
    const headers: Record<string, string> = {
      range: `bytes=${start}-${end}`,
      ...(etag && { "if-match": etag }),
    };
    const response = await send(address, { ...options, headers });
    etag ??= response.headers.get("etag");
    parts.push(await bytesOf(response, signal));
    onProgress?.(end + 1);
  }
  return new Blob(parts, { type: parts[0]?.type ?? "" });
}

/** Returns the bytes of a response. Throws a ServiceError if the connection is lost before they are there. */
async function bytesOf(response: Response, signal?: AbortSignal): Promise<Blob> {
  try {
    return await response.blob();
  } catch (error) {
    if (signal?.aborted) throw error;
    const message = t("The service can't be reached. Check your connection, and try again.");
    throw new ServiceError("OFFLINE", message);
  }
}

/** Lets the browser save bytes under a name. */
export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the bytes by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
