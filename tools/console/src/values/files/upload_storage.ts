// Where uploads that were begun are kept, so that they go on after the page was loaded again: in this tab only.

import type { PreviousUpload, UrlStorage } from "tus-js-client";

const PREFIX = "stratabase.upload.";

/** Keeps uploads as tus asks for it, by the fingerprint of their file. */
export const uploadStorage: UrlStorage = {
  findAllUploads: async () => found(PREFIX),
  findUploadsByFingerprint: async (fingerprint) => found(`${PREFIX}${fingerprint}.`),
  removeUpload: async (key) => sessionStorage.removeItem(key),
  addUpload: async (fingerprint, upload) => {
    const key = `${PREFIX}${fingerprint}.${crypto.getRandomValues(new Uint32Array(2)).join("")}`;
    sessionStorage.setItem(key, JSON.stringify(upload));
    return key;
  },
};

/** Forgets all uploads. Whoever signs in next must not find them. */
export function forgetUploads(): void {
  for (const key of keys(PREFIX)) sessionStorage.removeItem(key);
}

function found(prefix: string): PreviousUpload[] {
  return keys(prefix).map((key) => ({
    ...JSON.parse(sessionStorage.getItem(key) ?? "{}"),
    urlStorageKey: key,
  }));
}

function keys(prefix: string): string[] {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
}
