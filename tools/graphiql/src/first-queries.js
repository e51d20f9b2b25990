// The queries with which GraphiQL opens: made from the part of the schema that the member can use.

import { buildClientSchema, getIntrospectionQuery, getNamedType, isInputObjectType, isLeafType, isObjectType } from "graphql";

const KEYS = `# Ctrl-Space: completion
# Ctrl-Enter: run
# Tab: leave the editor
`;
const GET_PAGE = "___getPage";
const MAX_FIELDS = 6;

export const WELCOME = `${KEYS}
{
  __typename
}
`;

// Returns the tabs for a member who opens the page for the first time. Without a readable schema, there is one.
export async function firstTabs(fetcher) {
  try {
    const { data } = await fetcher({ query: getIntrospectionQuery() });
    const tabs = tabsOf(buildClientSchema(data));
    return tabs.length ? tabs : [{ query: WELCOME }];
  } catch {
    return [{ query: WELCOME }];
  }
}

function tabsOf(schema) {
  const queries = schema.getQueryType().getFields();
  const page = Object.keys(queries).find((name) => name.endsWith(GET_PAGE) && !name.startsWith("_"));
  if (!page) return [];
  const name = page.slice(0, -GET_PAGE.length);
  const type = schema.getType(name);
  const creates = schema.getMutationType()?.getFields()[`${name}___create`];
  return [
    pageTab(name, type),
    ...(queries[`${name}___get`] ? [getTab(name, type)] : []),
    ...(creates ? [createTab(name, creates)] : []),
  ];
}

function pageTab(name, type) {
  return {
    query: `${KEYS}
query ${name}Page {
  ${name}___getPage(options: { next: 10 }) {
    totalCount
    hasNext
    items {
${selection(type, "      ")}
    }
  }
}
`,
  };
}

function getTab(name, type) {
  return {
    query: `# Set the id below, under Variables.

query ${name}($id: ID!) {
  ${name}___get(_id: $id) {
${selection(type, "    ")}
  }
}
`,
    variables: JSON.stringify({ id: "" }, null, 2),
  };
}

function createTab(name, field) {
  const data = field.args.find((argument) => argument.name === "data");
  return {
    query: `# Set the values below, under Variables.

mutation Create${name}($data: ${data.type}) {
  ${name}___create(data: $data) {
    _id
  }
}
`,
    variables: JSON.stringify({ data: emptyValues(getNamedType(data.type)) }, null, 2),
  };
}

// The first attributes of a class, and its first role to one object with an attribute of that.
function selection(type, indent) {
  const role = fieldsOf(type).find((field) => isObjectType(field.type) && field.type.getFields()._id);
  const lines = ["_id", ...attributes(type).slice(0, MAX_FIELDS)];
  const [ofRole] = role ? attributes(role.type) : [];
  if (ofRole) lines.push(`${role.name} { _id ${ofRole} }`);
  return lines.map((line) => indent + line).join("\n");
}

function attributes(type) {
  return fieldsOf(type)
    .filter((field) => isLeafType(getNamedType(field.type)))
    .map((field) => field.name);
}

function fieldsOf(type) {
  return Object.values(type.getFields()).filter((field) => !field.name.startsWith("_"));
}

// All values are null, so that nobody creates an object of sample values.
function emptyValues(input) {
  const fields = isInputObjectType(input) ? attributes(input) : [];
  return Object.fromEntries(fields.slice(0, MAX_FIELDS).map((name) => [name, null]));
}
