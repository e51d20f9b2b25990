// Builds the console into the folder that the service serves it from, and runs its unit tests.
import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { catalogs } from "./build/catalogs.ts";
import { records } from "./build/records.ts";

const PACKAGE = path.resolve(import.meta.dirname, "../../layers/stratabase/python/stratabase");
const BUILT = path.join(PACKAGE, "core/http/pages/console/built");
const CATALOGS = path.join(PACKAGE, "values/messages");

export default defineConfig({
  // Relative, so that the console works below any base path.
  base: "./",
  plugins: [react(), catalogs(CATALOGS), records(CATALOGS)],
  build: {
    outDir: process.env["CONSOLE_BUILT"] ?? BUILT,
    emptyOutDir: true,
    assetsDir: "",
    // The page names the entry's files as this file says.
    manifest: "manifest.json",
    target: "es2022",
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { console: "src/main.tsx" },
      output: {
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
      },
    },
  },
  // The tests read schemas and descriptions of models from the tests of the service.
  server: { fs: { allow: ["../.."] } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
