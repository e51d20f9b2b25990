import type { Session } from "./session";

const MAX_BYTES = 4_400_000; // of a file in one request

export type PendingFile = {
  pendingFileId: string;
  fileId: string;
  name: string;
  mimeType: string;
  size: number;
  uploadedOn: string;
};

// Uploads a file, and returns the reference that a mutation takes as a variable of type PendingFileReference!.
export async function upload(session: Session, className: string, attribute: string, file: File) {
  if (file.size > MAX_BYTES) throw new Error("The file is too large for one request. Use the tus protocol.");
  const body = new FormData();
  body.append("file", file, file.name);
  return session.json<PendingFile>(`/auth/file/${className.toLowerCase()}/${attribute}`, { method: "POST", body });
}
