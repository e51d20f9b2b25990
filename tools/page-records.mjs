// What the builds of the pages record beside the built files: the licenses of what these contain, and a fingerprint
// of the sources.

import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

// Whose code is in the built files, and on which terms. `modules`: paths of modules, relative to a folder.
export async function licenses(folder, modules) {
  const packages = new Set(modules.map((module) => module.match(PACKAGE)?.[0]));
  packages.delete(undefined);
  const texts = await Promise.all([...packages].sort().map((each) => license(path.resolve(folder, each))));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

async function license(folder) {
  const { name, version, license: terms } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  const text = file ? await readFile(path.join(folder, file), "utf8") : `${terms} (no text in the package)\n`;
  return `${name} ${version} (${terms})\n\n${text}`;
}

// Tells a test whether the sources have changed since: their names in order, each with what is in it.
export function fingerprint(contents) {
  const hash = createHash("sha256");
  for (const name of Object.keys(contents).sort()) {
    hash.update(`${name}\0`);
    hash.update(contents[name]);
  }
  return `${hash.digest("hex")}\n`;
}

// The contents of files by their names, which are relative to a folder. Of a folder, those of all files below it.
export async function contentsOf(folder, names) {
  const contents = {};
  for (const name of names) {
    const entries = await readdir(path.join(folder, name), { recursive: true, withFileTypes: true }).catch(() => null);
    const files = entries?.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
    for (const file of files ?? [path.join(folder, name)]) {
      contents[path.relative(folder, file)] = await readFile(file);
    }
  }
  return contents;
}
