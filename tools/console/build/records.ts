// Writes beside the built files whose code they contain, and the fingerprint of the sources, by which a test tells
// whether the build is current.
import path from "node:path";
import type { Plugin } from "vite";
import { contentsOf, fingerprint, licenses } from "../../page-records.mjs";

const HERE = path.resolve(import.meta.dirname, "..");
const REPOSITORY = path.resolve(HERE, "../..");
const SOURCES = ["build", "package-lock.json", "package.json", "src", "vite.config.ts"];

export function records(): Plugin {
  return {
    name: "records",
    apply: "build",
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
      const modules = chunks.flatMap((chunk) => chunk.moduleIds);
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: await licenses(HERE, modules) });
      this.emitFile({ type: "asset", fileName: "sources.sha256", source: fingerprint(await sources()) });
    },
  };
}

async function sources(): Promise<Record<string, string | Uint8Array>> {
  const own = SOURCES.map((name) => `tools/console/${name}`);
  return contentsOf(REPOSITORY, ["tools/page-records.mjs", ...own]);
}
