// One upload at a time, as a field shows it.

import { useEffect, useRef, useState } from "react";
import { asServiceError } from "../../service/errors";
import { noteUpload, type PendingFile } from "./file_value";
import { upload } from "./upload";

export interface Uploading {
  readonly file: File;
  readonly sent: number;
  readonly isWaiting: boolean;
}

interface Failed {
  readonly file: File;
  readonly message: string;
}

export interface UploadState {
  readonly uploading: Uploading | null;
  readonly failed: Failed | null;
  /** Returns the reference of an uploaded file, null if the upload failed or was canceled. */
  readonly start: (file: File, address: string) => Promise<PendingFile | null>;
  readonly cancel: () => void;
}

export function useUpload(): UploadState {
  const [uploading, setUploading] = useState<Uploading | null>(null);
  const [failed, setFailed] = useState<Failed | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  async function start(file: File, address: string): Promise<PendingFile | null> {
    const current = new AbortController();
    const { signal } = current;
    controller.current = current;
    const change = (part: Partial<Uploading>) =>
      setUploading((known) => ({ file, sent: 0, isWaiting: false, ...known, ...part }));
    setFailed(null);
    change({ file });
    try {
      const reference = await upload({
        file,
        address,
        signal,
        onProgress: (sent) => change({ sent: Math.min(sent, file.size) }),
        onWaiting: (isWaiting) => change({ isWaiting }),
      });
      noteUpload(reference);
      return reference;
    } catch (failure) {
      if (!signal.aborted) setFailed({ file, message: asServiceError(failure).message });
      return null;
    } finally {
      setUploading(null);
    }
  }

  return { uploading, failed, start, cancel: () => controller.current?.abort() };
}
