// Generates types with the configuration of the docs. Reads {sdl, document, config} as JSON, prints the code.
import { text } from "node:stream/consumers";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";

const { sdl, document, config } = JSON.parse(await text(process.stdin));
const code = await codegen({
  filename: "generated.ts",
  schema: parse(sdl),
  documents: [{ document: parse(document) }],
  config,
  plugins: [{ typescript: {} }, { operations: {} }],
  pluginMap: { typescript, operations },
});
console.log(code);
