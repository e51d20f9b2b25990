// What a file's field does: takes files that are allowed, uploads them, and hands over their references.

import { useEffect, useReducer, useRef, useState } from "react";
import type { EditorProps } from "../value_type";
import { type FileAttribute, uploadAddress } from "./addresses";
import { fileProblem } from "./file_limits";
import { type FileValue, isPending, isUploading, remainingTime } from "./file_value";
import { type UploadState, useUpload } from "./use_upload";

interface FileField {
  /** The file, unless one is being uploaded. */
  readonly file: FileValue | null;
  readonly uploads: UploadState;
  /** Why a file was not taken. */
  readonly refusal: string;
  readonly take: (file: File | undefined) => Promise<void>;
  readonly remove: () => void;
}

export function useFileField(props: EditorProps, holder: FileAttribute): FileField {
  const [refusal, setRefusal] = useState("");
  const uploads = useUpload();
  // An upload takes a while, in which the form may change.
  const latest = useRef(props);
  latest.current = props;
  const { value } = props;
  const file = value === null || value === undefined || isUploading(value) ? null : (value as FileValue);
  useExpiry(file);

  function hand(next: unknown) {
    latest.current.onChange(next);
    latest.current.onBlur?.();
  }

  async function take(chosen: File | undefined) {
    if (!chosen) return;
    const problem = fileProblem(chosen, props.attribute);
    setRefusal(problem ?? "");
    if (problem) return;
    const former = isUploading(value) ? null : value;
    latest.current.onChange({ uploading: chosen.name });
    hand((await uploads.start(chosen, uploadAddress(holder))) ?? former);
  }

  function remove() {
    setRefusal("");
    hand(null);
  }

  return { file, uploads, refusal, take, remove };
}

/** Draws again when the service deletes a pending file. */
function useExpiry(file: FileValue | null) {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!file || !isPending(file)) return;
    const timer = setTimeout(draw, Math.max(0, remainingTime(file)) + 1000);
    return () => clearTimeout(timer);
  }, [file]);
}
