// A file while it is uploaded.

import "./files.css";
import { CloudOff, Upload, X } from "lucide-react";
import { IconButton } from "../../components/button";
import { t } from "../../messages/messages";
import { sizeText } from "./file_value";
import type { Uploading } from "./use_upload";

interface UploadRowProps {
  readonly uploading: Uploading;
  readonly onCancel: () => void;
}

export function UploadRow({ uploading, onCancel }: UploadRowProps) {
  const { file, sent, isWaiting } = uploading;
  const name = file.name;
  return (
    <div className="file-row">
      <span className="file-thumbnail">{isWaiting ? <CloudOff aria-hidden /> : <Upload aria-hidden />}</span>
      <div className="file-facts">
        <span className="user-text">{name}</span>
        <progress max={file.size || 1} value={sent} aria-label={t("Uploading {name}", { name })} />
        <span className="file-meta">
          {isWaiting
            ? t("Waiting for the connection. What has arrived is kept.")
            : t("{sent} of {size}", { sent: sizeText(sent), size: sizeText(file.size) })}
        </span>
      </div>
      <div className="file-actions">
        <IconButton icon={X} label={t("Cancel the upload of {name}", { name })} onPress={onCancel} />
      </div>
    </div>
  );
}
