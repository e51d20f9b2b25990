// Sends a body as the member who is signed in, and reports how much of it has been sent, which `fetch` can't.

import { t } from "../messages/messages";
import { connection } from "./connection";
import { ServiceError } from "./errors";
import { sendBy } from "./request";

export interface Transfer {
  readonly method: string;
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: XMLHttpRequestBodyInit | null;
  /** Is told how many bytes of the body have been sent. */
  readonly onProgress?: ((sent: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request, and returns its response, whatever that says. Throws a ServiceError if none comes. */
export function transfer(given: Transfer): Promise<Response> {
  return sendBy((authorization) => transferOnce(given, authorization));
}

function transferOnce(
  { method, address, headers = {}, body = null, onProgress, signal }: Transfer,
  authorization: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, new URL(address, document.baseURI));
    request.responseType = "arraybuffer";
    for (const [name, value] of Object.entries({ ...headers, authorization }))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
    request.onload = () => {
      const response = responseOf(request);
      connection.note(response);
      resolve(response);
    };
    request.onerror = () => {
      connection.lose();
      reject(
        new ServiceError("OFFLINE", t("The service can't be reached. Check your connection, and try again.")),
      );
    };
    request.onabort = () => reject(new DOMException("The transfer was canceled.", "AbortError"));
    if (signal?.aborted) return request.onabort?.(new ProgressEvent("abort"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** Responses with these statuses can't have a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const body = WITHOUT_BODY.has(request.status) ? null : (request.response as ArrayBuffer);
  return new Response(body, { status: request.status, headers });
}
