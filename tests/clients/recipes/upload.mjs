const MAX_BYTES = 4_400_000; // of a file in one request

// Uploads a file, and returns the reference that a mutation takes as a variable of type PendingFileReference!.
export async function upload(baseUrl, className, attribute, file, signedIn) {
  if (file.size > MAX_BYTES) throw new Error("The file is too large for one request. Use the tus protocol.");
  const form = new FormData();
  form.append("file", file, file.name);
  const address = `${baseUrl}/auth/file/${className.toLowerCase()}/${attribute}`;
  const response = await signedIn(address, { method: "POST", body: form });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.json();
}
