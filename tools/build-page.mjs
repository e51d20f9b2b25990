// Builds a page's script and style into the folder that the service serves them from:
// node build-page.mjs NAME ENTRY TARGET, in the folder with the page's sources and packages.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

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
await writeFile(path.join(TARGET, "licenses.txt"), await licenses(Object.keys(result.metafile.inputs)));
await writeFile(path.join(TARGET, "sources.sha256"), await fingerprint());

// Whose code is in the script, and on which terms.
async function licenses(inputs) {
  const folders = new Set(inputs.map((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]));
  folders.delete(undefined);
  const texts = await Promise.all([...folders].sort().map(license));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

async function license(folder) {
  const { name, version, license: terms } = JSON.parse(
    await readFile(path.join(HERE, folder, "package.json"), "utf8"),
  );
  const file = (await readdir(path.join(HERE, folder))).find((each) => /^licen[cs]e/i.test(each));
  const text = file ? await readFile(path.join(HERE, folder, file), "utf8") : `${terms} (no text in the package)\n`;
  return `${name} ${version} (${terms})\n\n${text}`;
}

// Tells a test whether the sources have changed since: the files' names in order, each with what is in it.
async function fingerprint() {
  const names = ["build-page.mjs", "package-lock.json", "package.json"];
  const sources = (await readdir(path.join(HERE, "src"))).map((name) => `src/${name}`);
  const hash = createHash("sha256");
  for (const name of [...names, ...sources].sort()) {
    hash.update(`${name}\0`);
    hash.update(await readFile(path.join(HERE, name)));
  }
  return `${hash.digest("hex")}\n`;
}
