// Builds a page's script and style into the folder that the service serves them from:
// node build-page.mjs NAME ENTRY TARGET, in the folder with the page's sources and packages.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { contentsOf, fingerprint, licenses } from "./page-records.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const [NAME, ENTRY, TARGET] = process.argv.slice(2);

// The fonts would be most of the page's weight; it uses those of the system.
const withoutFonts = {
  name: "without fonts",
  setup(builder) {
    builder.onLoad({ filter: /\.css$/ }, async ({ path: file }) => ({
      contents: (await readFile(file, "utf8")).replace(/@font-face\s*{[^}]*}/g, ""),
      loader: "css",
    }));
  },
};

const result = await build({
  absWorkingDir: HERE,
  entryPoints: { [NAME]: ENTRY },
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  outdir: "built",
  entryNames: "[name]-[hash]",
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  charset: "utf8",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [withoutFonts],
  logLevel: "warning",
});

await rm(TARGET, { recursive: true, force: true });
await mkdir(TARGET, { recursive: true });
for (const file of result.outputFiles) {
  await writeFile(path.join(TARGET, path.basename(file.path)), file.contents);
}
await writeFile(path.join(TARGET, "licenses.txt"), await licenses(HERE, Object.keys(result.metafile.inputs)));
const sources = await contentsOf(HERE, ["build-page.mjs", "page-records.mjs", "package-lock.json", "package.json", "src"]);
await writeFile(path.join(TARGET, "sources.sha256"), fingerprint(sources));
