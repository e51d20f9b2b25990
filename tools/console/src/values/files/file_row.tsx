// A file with what can be done with it.

import "./files.css";
import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { IconButton } from "../../components/button";
import { Badge } from "../../components/feedback";
import { showToast } from "../../components/toast";
import { t } from "../../messages/messages";
import { asServiceError } from "../../service/errors";
import { downloadAddress, type FileAttribute } from "./addresses";
import { download, save } from "./download";
import { FilePreview } from "./file_preview";
import { type FileValue, isPending, sizeText } from "./file_value";

interface FileRowProps {
  readonly file: FileValue;
  readonly holder: FileAttribute;
  /** Further buttons. */
  readonly actions?: ReactNode;
}

export function FileRow({ file, holder, actions }: FileRowProps) {
  const address = downloadAddress(file, holder);
  const [received, setReceived] = useState<number | null>(null);

  async function start() {
    setReceived(0);
    try {
      save(await download({ address, size: file.size, onProgress: setReceived }), file.name);
    } catch (failure) {
      showToast(asServiceError(failure).message);
    } finally {
      setReceived(null);
    }
  }

  return (
    <div className="file-row">
      <FilePreview file={file} address={address} />
      <div className="file-facts">
        <span className="user-text">{file.name}</span>
        <span className="file-meta">
          {sizeText(file.size)}
          {isPending(file) && <Badge kind="info">{t("Not saved yet")}</Badge>}
        </span>
        {received !== null && received > 0 && (
          <progress
            max={file.size}
            value={received}
            aria-label={t("Downloading {name}", { name: file.name })}
          />
        )}
      </div>
      <div className="file-actions">
        <IconButton
          icon={Download}
          label={t("Download {name}", { name: file.name })}
          isPending={received !== null}
          onPress={start}
        />
        {actions}
      </div>
    </div>
  );
}
