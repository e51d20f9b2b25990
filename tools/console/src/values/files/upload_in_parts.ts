// Uploads a large file by the tus protocol. What has arrived is kept, also if the connection or the tab is lost.

import { DetailedError, type HttpRequest, type HttpResponse, Upload as TusUpload } from "tus-js-client";
import { connection } from "../../service/connection";
import { ServiceError } from "../../service/errors";
import { send } from "../../service/request";
import { errorOf } from "../../service/response";
import { transfer } from "../../service/transfer";
import { ownAddress } from "./addresses";
import type { PendingFile } from "./file_value";
import type { Upload } from "./upload";
import { uploadStorage } from "./upload_storage";

/** Bytes. The service takes no larger ones. */
const PART = 4 * 1024 * 1024;
const REFERENCE = "application/vnd.stratabase.reference+json";
/** Statuses after which the service is asked how much has arrived: another request isn't over, or got through. */
const OVERTAKEN = new Set([409, 423]);
const OVERTAKEN_PAUSE = 1000; // milliseconds

/** Uploads a file in parts, and returns its reference. Throws a ServiceError if the service refuses it. */
export async function uploadInParts(given: Upload): Promise<PendingFile> {
  const { file, address, signal, onWaiting } = given;
  const headers: Record<string, string> = { filename: file.name, ...(file.type && { filetype: file.type }) };
  const tus = new TusUpload(file, {
    endpoint: new URL(address, document.baseURI).href,
    chunkSize: PART,
    metadata: headers,
    removeFingerprintOnSuccess: true,
    urlStorage: uploadStorage,
    // This file decides when to go on.
    retryDelays: null,
    httpStack: { createRequest, getName: () => "console" },
    onProgress: given.onProgress,
    onUploadUrlAvailable: () => {
      if (tus.url) tus.url = new URL(ownAddress(tus.url), document.baseURI).href;
    },
  });
  signal.addEventListener("abort", () => void tus.abort(true).catch(() => undefined));
  // Another tab, or this one before it was reloaded, may have sent a part of the file.
  const [earlier] = await tus.findPreviousUploads();
  if (earlier) tus.resumeFromPreviousUpload(earlier);
  for (;;) {
    const failure = await run(tus, signal);
    if (failure === null) break;
    onWaiting(true);
    await mayGoOn(failure, signal);
    onWaiting(false);
  }
  const response = await send(tus.url ?? "", { headers: { accept: REFERENCE }, signal });
  return (await response.json()) as PendingFile;
}

/** Sends what hasn't arrived yet. Returns null when all has, and otherwise why not. */
function run(tus: TusUpload, signal: AbortSignal): Promise<Error | null> {
  return new Promise((resolve) => {
    tus.options.onSuccess = () => resolve(null);
    tus.options.onError = resolve;
    const cancel = () => resolve(new DOMException("The upload was canceled.", "AbortError"));
    if (signal.aborted) return cancel();
    signal.addEventListener("abort", cancel);
    tus.start();
  });
}

/** Waits until it makes sense to go on after a failure. Throws why it makes none. */
async function mayGoOn(failure: Error, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw failure;
  const response = failure instanceof DetailedError ? failure.originalResponse : null;
  if (response && OVERTAKEN.has(response.getStatus())) return pause(signal);
  if (connection.problem() !== null) return connected(signal);
  if (response) throw await errorOf(response.getUnderlyingObject() as Response);
  const cause = failure instanceof DetailedError ? failure.causingError : failure;
  throw cause instanceof ServiceError ? cause : failure;
}

function connected(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = connection.subscribe(() => {
      if (connection.problem() !== null) return;
      stop();
      resolve();
    });
    signal.addEventListener("abort", () => {
      stop();
      reject(signal.reason);
    });
  });
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, OVERTAKEN_PAUSE);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Returns a request of tus that is sent as the member, and again after a new sign-in. */
function createRequest(method: string, url: string): HttpRequest {
  const headers: Record<string, string> = {};
  const canceled = new AbortController();
  let onProgress: ((sent: number) => void) | undefined;
  return {
    getMethod: () => method,
    getURL: () => url,
    setHeader: (name, value) => {
      headers[name] = value;
    },
    getHeader: (name) => headers[name],
    setProgressHandler: (handler) => {
      onProgress = handler;
    },
    send: async (body: Blob | null) => {
      const { signal } = canceled;
      return answerOf(await transfer({ method, address: url, headers, body, onProgress, signal }));
    },
    abort: async () => canceled.abort(),
    getUnderlyingObject: () => null,
  };
}

function answerOf(response: Response): HttpResponse {
  return {
    getStatus: () => response.status,
    getHeader: (name) => response.headers.get(name) ?? undefined,
    getBody: () => "",
    getUnderlyingObject: () => response,
  };
}
