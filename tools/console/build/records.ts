// Writes beside the built files whose code they contain, and the fingerprint of the sources, by which a test tells
// whether the build is current.
import path from "node:path";
import type { Plugin } from "vite";
import { contentsOf, fingerprint, licenses } from "../../page-records.mjs";
import { languages, readCatalog } from "./catalogs.ts";

const HERE = path.resolve(import.meta.dirname, "..");
const REPOSITORY = path.resolve(HERE, "../..");
// The files and folders that the build depends on. tests/page_sources.py has the same.
const SOURCES = [
  "layers/stratabase/python/stratabase/core/http/pages/templates/sign_in.js",
  "tools/console/build",
  "tools/console/package-lock.json",
  "tools/console/package.json",
  "tools/console/src",
  "tools/console/vite.config.ts",
  "tools/page-records.mjs",
];

/** `catalogs` is the folder with the catalogs of the service. */
export function records(catalogs: string): Plugin {
  return {
    name: "records",
    apply: "build",
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
      const modules = chunks.flatMap((chunk) => chunk.moduleIds);
      const sources = await contentsOf(REPOSITORY, SOURCES);
      requireAll(modules, sources);
      const recorded = fingerprint({ ...sources, ...(await catalogContents(catalogs)) });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: await licenses(HERE, modules) });
      this.emitFile({ type: "asset", fileName: "sources.sha256", source: recorded });
    },
  };
}

/** Throws if the build has a module of the repository that is not among the sources. */
function requireAll(modules: readonly string[], sources: Readonly<Record<string, unknown>>): void {
  const own = modules
    .map((module) => path.relative(REPOSITORY, module.split("?")[0] ?? module))
    .filter((name) => !name.startsWith("..") && !name.includes("node_modules") && !name.includes("\0"));
  const unknown = own.filter((name) => !(name in sources));
  if (unknown.length > 0) {
    throw new Error(
      `Add to SOURCES in build/records.ts, and to tests/page_sources.py: ${unknown.join(", ")}`,
    );
  }
}

/** Returns what the build has of each catalog. */
async function catalogContents(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const language of await languages(folder)) {
    contents[`catalog/${language}`] = JSON.stringify(await readCatalog(folder, language));
  }
  return contents;
}
