// File: bytes that are uploaded and downloaded apart from the object.

import { t } from "../../messages/messages";
import { fileEditors } from "../editors";
import { FileCell } from "../files/file_cell";
import { type FileValue, isPending, isUploading, remainingTime } from "../files/file_value";
import { defineValueType, PRESENCE } from "../value_type";

export const fileType = defineValueType({
  isWide: true,
  isShared: false,
  operators: PRESENCE,
  shown: " { name mimeType size link }",
  edited: " { fileId name mimeType size link }",
  toText: (value) => (value as FileValue).name,
  problem: (value) => {
    if (isUploading(value)) return t("Wait until the file is uploaded, or cancel the upload.");
    const file = value as FileValue;
    if (!isPending(file) || remainingTime(file) > 0) return null;
    return t("The service kept the file for an hour, and has deleted it. Choose it again.");
  },
  isSame: (one, other) => (one as FileValue).fileId === (other as FileValue).fileId,
  Cell: FileCell,
  ...fileEditors("FileEditor"),
});
