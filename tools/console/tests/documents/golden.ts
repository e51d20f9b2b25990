// The schemas and descriptions of two models, as the service makes them: `make golden` writes them anew.

import {
  buildSchema,
  type GraphQLSchema,
  NoUnusedFragmentsRule,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { expect } from "vitest";
import everythingText from "../../../../tests/core/schema/golden/everything.graphql?raw";
import everythingDescription from "../../../../tests/core/schema/golden/everything.json";
import memberText from "../../../../tests/core/schema/golden/hr.Member.graphql?raw";
import memberDescription from "../../../../tests/core/schema/golden/hr.Member.json";
import { Model, type ModelDescription } from "../../src/description/model";

export interface Golden {
  readonly name: string;
  readonly model: Model;
  readonly schema: GraphQLSchema;
}

function golden(name: string, description: unknown, text: string): Golden {
  return { name, model: new Model(description as ModelDescription), schema: buildSchema(text) };
}

/** Every type of attributes, of roles and of classes, for an administrator. */
export const EVERYTHING = golden("everything", everythingDescription, everythingText);
/** The sample model for a profile that may not do everything. */
export const MEMBER = golden("hr for members", memberDescription, memberText);
export const GOLDENS = [EVERYTHING, MEMBER];

/** Checks a document against the schema of the service. */
export function expectValid({ schema }: Golden, document: string): void {
  const errors = validate(schema, parse(document)).map(({ message }) => message);
  expect(errors, document).toEqual([]);
}

/** Checks the fields that a document selects of a class. */
export function expectSelectable({ schema }: Golden, className: string, selection: string): void {
  const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);
  const fragment = parse(`fragment selected on ${className} { ${selection} }`);
  const errors = validate(schema, fragment, rules).map(({ message }) => message);
  expect(errors, selection).toEqual([]);
}
