import { expect, test } from "vitest";
import { forgetUploads, uploadStorage } from "../../src/values/files/upload_storage";

const UPLOAD = {
  size: 9,
  metadata: { filename: "a.png" },
  creationTime: "now",
  urlStorageKey: "",
  uploadUrl: "/a",
  parallelUploadUrls: null,
};

test("uploads are found by the fingerprint of their file, until they are removed", async () => {
  sessionStorage.setItem("another", "thing");
  const key = await uploadStorage.addUpload("file-1", UPLOAD);
  await uploadStorage.addUpload("file-10", { ...UPLOAD, uploadUrl: "/b" });
  expect(await uploadStorage.findUploadsByFingerprint("file-1")).toEqual([{ ...UPLOAD, urlStorageKey: key }]);
  expect(await uploadStorage.findAllUploads()).toHaveLength(2);
  await uploadStorage.removeUpload(key);
  expect(await uploadStorage.findUploadsByFingerprint("file-1")).toEqual([]);
  forgetUploads();
  expect(await uploadStorage.findAllUploads()).toEqual([]);
  expect(sessionStorage.getItem("another")).toBe("thing");
});
