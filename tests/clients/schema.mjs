// Builds the schemas in the JSON on the standard input: {name: {sdl, introspection}}. Prints, by name, the
// errors of the schema, and whether its two forms describe the same.
import { readFileSync } from "node:fs";
import { buildClientSchema, buildSchema, lexicographicSortSchema, printSchema, validateSchema } from "graphql";

const print = (schema) => printSchema(lexicographicSortSchema(schema));
const results = {};
for (const [name, { sdl, introspection }] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  const [text, described] = [buildSchema(sdl), buildClientSchema(introspection)];
  results[name] = {
    errors: [...validateSchema(text), ...validateSchema(described)].map((error) => error.message),
    same: print(text) === print(described),
    types: Object.keys(text.getTypeMap()).length,
  };
}
console.log(JSON.stringify(results));
