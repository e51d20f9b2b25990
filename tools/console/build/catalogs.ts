// Makes modules of the catalogs of the service, with the translations of the console's texts alone:
// `virtual:catalog/it`, and `virtual:catalogs` with the loaders of all languages.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { po } from "gettext-parser";
import type { Plugin } from "vite";

const ALL = "virtual:catalogs";
const ONE = "virtual:catalog/";
const REFERENCE = /(^|\n|\/)tools\/console\//;

/** The translations by English text: one text, or the forms for one and for many. */
export type Catalog = Record<string, string | readonly string[]>;

export function catalogs(folder: string): Plugin {
  return {
    name: "catalogs",
    resolveId: (id) => (id === ALL || id.startsWith(ONE) ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${ALL}`) return loaders(await languages(folder));
      if (!id.startsWith(`\0${ONE}`)) return undefined;
      const language = id.slice(`\0${ONE}`.length);
      this.addWatchFile(path.join(folder, `${language}.po`));
      return `export default ${JSON.stringify(await readCatalog(folder, language))};`;
    },
  };
}

/** Returns the languages that have a catalog, which are all but English. */
export async function languages(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith(".po"))
    .map((name) => name.slice(0, -".po".length))
    .sort();
}

/** Returns the translations of the console's texts in a language, in the order of their texts. */
export async function readCatalog(folder: string, language: string): Promise<Catalog> {
  const { translations } = po.parse(await readFile(path.join(folder, `${language}.po`)));
  const catalog: Catalog = {};
  for (const entry of Object.values(translations[""] ?? {}).sort((a, b) => (a.msgid < b.msgid ? -1 : 1))) {
    const [one = ""] = entry.msgstr;
    if (REFERENCE.test(entry.comments?.reference ?? "") && entry.msgstr.every(Boolean)) {
      catalog[entry.msgid] = entry.msgid_plural ? entry.msgstr : one;
    }
  }
  return catalog;
}

function loaders(codes: readonly string[]): string {
  const each = codes.map((code) => `${JSON.stringify(code)}: () => import(${JSON.stringify(ONE + code)})`);
  return `export default { ${each.join(", ")} };`;
}
