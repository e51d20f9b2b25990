// The image in a file, or an icon for what browsers should only download.

import { FileText } from "lucide-react";
import { useEffect, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Dialog } from "../../components/dialog";
import { t } from "../../messages/messages";
import { download } from "./download";
import type { FileValue } from "./file_value";

/** Images that can hold no scripts. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);
const MAX_SIZE = 10 * 1024 * 1024; // bytes

interface FilePreviewProps {
  readonly file: FileValue;
  readonly address: string;
}

export function FilePreview({ file, address }: FilePreviewProps) {
  const image = useImage(file, address);
  const [isOpen, setOpen] = useState(false);
  if (image === null) {
    return (
      <span className="file-thumbnail">
        <FileText aria-hidden />
      </span>
    );
  }
  return (
    <>
      <AriaButton
        className="file-thumbnail"
        aria-label={t("Show {name}", { name: file.name })}
        onPress={() => setOpen(true)}
      >
        <img src={image} alt="" />
      </AriaButton>
      <Dialog title={file.name} isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <img className="file-image" src={image} alt={file.name} />
      </Dialog>
    </>
  );
}

/** Returns the address of an image in memory, null if there is none, or not yet. */
function useImage({ mimeType, size }: FileValue, address: string): string | null {
  const [image, setImage] = useState<string | null>(null);
  const isShown = SHOWN.has(mimeType) && size <= MAX_SIZE;
  useEffect(() => {
    if (!isShown) return;
    const controller = new AbortController();
    let made: string | null = null;
    download({ address, size, signal: controller.signal })
      .then((bytes) => {
        if (controller.signal.aborted) return;
        made = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
        setImage(made);
      })
      // The file can still be downloaded, which says what is wrong.
      .catch(() => undefined);
    return () => {
      controller.abort();
      if (made) URL.revokeObjectURL(made);
      setImage(null);
    };
  }, [address, size, mimeType, isShown]);
  return image;
}
