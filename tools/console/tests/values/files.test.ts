import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Attribute } from "../../src/description/model";
import { setLanguage } from "../../src/messages/messages";
import * as request from "../../src/service/request";
import * as settings from "../../src/service/settings";
import { downloadAddress, ownAddress, uploadAddress } from "../../src/values/files/addresses";
import { download } from "../../src/values/files/download";
import { fileProblem, limitsText } from "../../src/values/files/file_limits";
import { noteUpload, PENDING_FOR, type PendingFile, sizeText } from "../../src/values/files/file_value";
import { problemOf } from "../../src/values/registry";

const PHOTO: Attribute = {
  name: "photo",
  type: "File",
  required: false,
  derived: false,
  unique: false,
  readable: "always",
  creatable: "always",
  editable: "always",
  file: { extensions: ["png", "tar.gz"], maxSize: 1000 },
};
const ANY: Attribute = { ...PHOTO, file: {} };
const PENDING: PendingFile = {
  pendingFileId: "p/1",
  fileId: "f1",
  name: "a.png",
  mimeType: "image/png",
  size: 1,
  uploadedOn: "22/11/2026 22:54",
};
const HOLDER = { className: "Person", attribute: "photo" };

beforeEach(() => {
  vi.spyOn(settings, "serviceSettings").mockReturnValue({ addresses: { file: "../auth/file" } } as never);
});

afterEach(() => {
  vi.useRealTimers();
  setLanguage("en", {});
});

test.each([
  ["a.png", 1000, PHOTO],
  ["A.PNG", 0, PHOTO],
  ["b.tar.gz", 1, PHOTO],
  ["anything", 1e12, ANY],
])("%s of %d bytes is allowed", (name, size, attribute) => {
  expect(fileProblem({ name, size }, attribute)).toBeNull();
});

test.each([
  ["a.png", 1001, "a.png has 1 kB. Choose a file of at most 1 kB."],
  ["a.gz", 1, "Choose one that ends with PNG or TAR.GZ."],
  ["png", 1, "png isn't a file of the right type."],
])("%s of %d bytes is not", (name, size, reason) => {
  expect(fileProblem({ name, size }, PHOTO)).toContain(reason);
});

test("the limits are in words", () => {
  expect(limitsText(PHOTO)).toBe("PNG or TAR.GZ, up to 1 kB");
  expect(limitsText({ ...PHOTO, file: { maxSize: 5_000_000 } })).toBe("Up to 5 MB");
  expect(limitsText(ANY)).toBe("");
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1_450_000, "1.5 MB"],
  [2_147_483_647, "2.1 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test("addresses are those of the site that the console comes from", () => {
  const link = "https://api.example.com/prod/auth/file/person/1/photo";
  const file = { name: "a.png", mimeType: "image/png", size: 1, link };
  expect(uploadAddress(HOLDER)).toBe("../auth/file/Person/photo");
  expect(downloadAddress(file, HOLDER)).toBe("../auth/file/person/1/photo");
  expect(downloadAddress(PENDING, HOLDER)).toBe("../auth/file/Person/photo/pending/p%2F1");
  expect(ownAddress("http://strange/link")).toBe("http://strange/link");
});

test("a pending file is good for an hour, and an upload that isn't over for nothing", () => {
  vi.useFakeTimers();
  noteUpload(PENDING);
  expect(problemOf(PHOTO, PENDING)).toBeNull();
  vi.advanceTimersByTime(PENDING_FOR - 1);
  expect(problemOf(PHOTO, PENDING)).toBeNull();
  vi.advanceTimersByTime(1);
  expect(problemOf(PHOTO, PENDING)).toContain("has deleted it");
  expect(problemOf(PHOTO, { uploading: "a.png" })).toContain("Wait until the file is uploaded");
});

describe("a download", () => {
  test("whose connection is lost in the middle says so", async () => {
    const response = new Response("bytes");
    vi.spyOn(response, "blob").mockRejectedValue(new TypeError("network error"));
    vi.spyOn(request, "send").mockResolvedValue(response);
    await expect(download({ address: "a", size: 5 })).rejects.toMatchObject({ kind: "OFFLINE" });
  });

  const RANGE = 32 * 1024 * 1024;

  test("of a small file is one request", async () => {
    const send = vi.spyOn(request, "send").mockResolvedValue(new Response("bytes"));
    expect(await (await download({ address: "a", size: 5 })).text()).toBe("bytes");
    expect(send).toHaveBeenCalledTimes(1);
  });

  test("of a large file comes in ranges of the same file", async () => {
    const send = vi
      .spyOn(request, "send")
      .mockImplementation(async () => new Response("x", { headers: { etag: '"1"' } }));
    const received: number[] = [];
    const size = 2 * RANGE + 10;
    const blob = await download({ address: "a", size, onProgress: (count) => received.push(count) });
    expect(blob.size).toBe(3);
    expect(received).toEqual([RANGE, 2 * RANGE, size]);
    expect(send.mock.calls.map(([, init]) => init?.headers)).toEqual([
      { range: `bytes=0-${RANGE - 1}` },
      { range: `bytes=${RANGE}-${2 * RANGE - 1}`, "if-match": '"1"' },
      { range: `bytes=${2 * RANGE}-${size - 1}`, "if-match": '"1"' },
    ]);
  });
});
