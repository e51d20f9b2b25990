// Generates typed clients for the schemas in the JSON on the standard input: {name: {sdl, introspection, document}}.
// Prints, by name, the errors of the schema, whether its two forms describe the same, and the generated code.
import { text } from "node:stream/consumers";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import { buildClientSchema, buildSchema, lexicographicSortSchema, parse, printSchema, validateSchema } from "graphql";

const print = (schema) => printSchema(lexicographicSortSchema(schema));

async function check({ sdl, introspection, document }) {
  const [written, described] = [buildSchema(sdl), buildClientSchema(introspection)];
  const code = await codegen({
    filename: "client.ts",
    schema: parse(sdl),
    documents: [{ document: parse(document) }],
    config: {},
    plugins: [{ typescript: {} }, { operations: {} }],
    pluginMap: { typescript, operations },
  });
  const errors = [...validateSchema(written), ...validateSchema(described)].map((error) => error.message);
  return { errors, same: print(written) === print(described), code };
}

const results = {};
for (const [name, schema] of Object.entries(JSON.parse(await text(process.stdin)))) results[name] = await check(schema);
console.log(JSON.stringify(results));
