// Where files are uploaded to and downloaded from.

import { serviceSettings } from "../../service/settings";
import { type FileValue, isPending } from "./file_value";

/** An attribute of a class that holds files. */
export interface FileAttribute {
  readonly className: string;
  readonly attribute: string;
}

export function uploadAddress({ className, attribute }: FileAttribute): string {
  return `${serviceSettings().addresses.file}/${className}/${attribute}`;
}

/** Returns where a file is downloaded from, also while it is pending. */
export function downloadAddress(file: FileValue, holder: FileAttribute): string {
  return isPending(file)
    ? `${uploadAddress(holder)}/pending/${encodeURIComponent(file.pendingFileId)}`
    : ownAddress(file.link);
}

/**
 * Returns a link of the service as an address of the site that the console comes from.
 *
 * Links name the host of the service's settings, which may be another name of the same service.
 */
export function ownAddress(link: string): string {
  const { file } = serviceSettings().addresses;
  const path = `/${file.replace(/^(\.\.?\/)+/, "")}/`;
  const at = link.indexOf(path);
  return at < 0 ? link : `${file}/${link.slice(at + path.length)}`;
}
