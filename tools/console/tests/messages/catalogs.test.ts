import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { languages, readCatalog } from "../../build/catalogs.ts";
import { loadCatalog } from "../../src/messages/catalogs";

const CATALOG = `
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

#: core/http/pages/start.py
msgid "Of the service"
msgstr "Del servizio"

#: ../../../../tools/console/src/home/home_page.tsx
msgid "Yes"
msgstr "Sì"

#: core/http/pages/start.py
#: ../../../../tools/console/src/home/home_page.tsx
msgid "Of both"
msgstr "Di entrambi"

#: ../../../../tools/console/src/list.tsx
msgid "{count} object"
msgid_plural "{count} objects"
msgstr[0] "{count} oggetto"
msgstr[1] "{count} oggetti"

#: ../../../../tools/console/src/list.tsx
msgid "Not translated"
msgstr ""
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "catalogs-"));
  await writeFile(path.join(folder, "it.po"), CATALOG);
  await writeFile(path.join(folder, "messages.pot"), "");
});

afterAll(() => rm(folder, { recursive: true }));

test("a catalog has the translations of the console alone", async () => {
  expect(await languages(folder)).toEqual(["it"]);
  expect(await readCatalog(folder, "it")).toEqual({
    "Of both": "Di entrambi",
    Yes: "Sì",
    "{count} object": ["{count} oggetto", "{count} oggetti"],
  });
});

test("the console loads the catalog of a language, and none for English", async () => {
  expect((await loadCatalog("it"))["Yes"]).toBe("Sì");
  expect(await loadCatalog("en")).toEqual({});
  expect(await loadCatalog("tlh")).toEqual({});
});
