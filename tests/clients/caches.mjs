// Reads and writes with the caches of the recipes, and prints what they show.
import { webcrypto } from "node:crypto";
import { gql } from "@apollo/client";

import { apolloClient } from "./built/recipes/apollo-client.js";
import { appendPage } from "./built/recipes/append-page.js";
import { openSession } from "./built/recipes/session.js";
import { urqlClient } from "./built/recipes/urql-client.js";

globalThis.crypto ??= webcrypto;
const { BASE_URL, USERNAME, PASSWORD } = process.env;

const OPTIONS = `options: { filter: { email___starts_with: "cached-" } }`;
const NAMES = `query Names { Employee___getPage(${OPTIONS}) { items { _id last_name } } }`;
const EMAILS = `query Emails { Employee___getPage(${OPTIONS}) { totalCount items { _id email } } }`;
const CREATE = `mutation Create($email: String!) {
  Employee___create(data: { first_name: "Ada", last_name: "King", email: $email }) {
    _id last_name _versionStart(format: "iso")
  }
}`;
const RENAME = `mutation Rename($id: ID!, $name: String!) {
  Employee___update(data: { _id: $id, last_name: $name }) { _id last_name }
}`;
const SHOWN = `fragment Shown on Employee { _id last_name team { _id name } }`;
const GET = `query Get($id: ID!) { Employee___get(_id: $id) { ...Shown _lock { lockedBy } } } ${SHOWN}`;
const STATES = `query States($id: ID!, $at: Datetime!, $page: EmployeePageOptions) {
  past: Employee___getVersionPage(_id: $id) { items { ...Shown } }
  then: Employee___get(_id: $id, atVersion: $at) { ...Shown }
  page: Employee___getPage(atVersion: $at, options: $page) { items { ...Shown } }
  now: Employee___get(_id: $id) { ...Shown }
  draft: Employee___previewUpdate(data: { _id: $id, last_name: "Unsaved" }) { ...Shown }
} ${SHOWN}`;
const PAGES = `query Pages($cursor: Cursor) {
  Employee___getPage(options: { filter: { email___starts_with: "page-" }, next: 1, cursor: $cursor }) {
    items { _id last_name } hasNext nextCursor
  }
}`;
const LOCK = `mutation Lock($id: ID!) { lock(locks: [{ entityName: Employee, _id: $id }]) { locked } }`;
const DELETE = `mutation Delete($id: ID!) { Employee___delete(_id: $id) { deleted } }`;

const session = openSession(BASE_URL);
await session.signIn(USERNAME, PASSWORD);

function counted() {
  const told = { requests: 0 };
  told.fetch = (address, options) => {
    told.requests++;
    return session.fetch(address, options);
  };
  return told;
}

// Waits until a query on the page shows what is expected.
async function shows(seen, expected) {
  for (let turn = 0; turn < 4000 && JSON.stringify(seen.at(-1)) !== JSON.stringify(expected); turn++) {
    await new Promise((done) => setTimeout(done, 5));
  }
  return seen.at(-1);
}

// `mutate` and `query` return data. `mutate` can have a key. `watch` calls the function with the last names on a page, whenever they change.
async function play(name, { mutate, query, watch }, network) {
  const told = {};
  const seen = [];
  const stop = watch(NAMES, (data) => seen.push(data.Employee___getPage.items.map((each) => each.last_name)));
  told.empty = await shows(seen, []);
  const create = async () => mutate(CREATE, { email: `cached-${name}@example.com` }, `key-of-${name}`);
  const { _id: id, _versionStart: at } = (await create()).Employee___create;
  const page = { filter: { email___eq: `cached-${name}@example.com` } };
  told.sameKey = (await create()).Employee___create._id === id;
  told.created = await shows(seen, ["King"]);
  await query(GET, { id });
  await mutate(RENAME, { id, name: "Byron" });
  told.renamed = await shows(seen, ["Byron"]);
  const names = (page) => page.items.map((each) => each.last_name);
  for (const time of ["first", "again"]) {
    const states = await query(STATES, { id, at, page });
    const { then, now, draft } = states;
    told[time] = { past: names(states.past), then: [then.last_name, ...names(states.page)] };
    Object.assign(told[time], { now: now.last_name, draft: draft.last_name });
  }
  told.after = (await query(GET, { id })).Employee___get.last_name;
  await mutate(LOCK, { id });
  told.lockedBy = (await query(GET, { id })).Employee___get._lock.lockedBy;
  const before = network.requests;
  for (const document of [NAMES, EMAILS, NAMES, EMAILS]) await query(document);
  told.requests = network.requests - before;
  await mutate(DELETE, { id });
  told.deleted = await shows(seen, []);
  told.gone = (await query(GET, { id })).Employee___get;
  stop();
  return told;
}

const apollo = counted();
const client = apolloClient(BASE_URL, "Hr", apollo.fetch);
const mutate = async (text, variables, key) => {
  const context = key && { headers: { "idempotency-key": key } };
  return (await client.mutate({ mutation: gql(text), variables, context })).data;
};
const results = {};
results.apollo = await play("apollo", {
  mutate,
  query: async (text, variables) => (await client.query({ query: gql(text), variables })).data,
  watch(text, show) {
    const told = client.watchQuery({ query: gql(text) }).subscribe(({ data }) => data && show(data));
    return () => told.unsubscribe();
  },
}, apollo);

for (const number of [1, 2, 3]) await mutate(CREATE, { email: `page-${number}@example.com` });
const pages = client.watchQuery({ query: gql(PAGES) });
const lengths = [];
const shown = pages.subscribe(({ data }) => data && lengths.push(data.Employee___getPage.items.length));
await shows(lengths, 1);
for (const length of [2, 3]) {
  const { nextCursor: cursor } = pages.getCurrentResult().data.Employee___getPage;
  await pages.fetchMore({ variables: { cursor }, updateQuery: appendPage });
  await shows(lengths, length);
}
const before = apollo.requests;
const [{ _id: id }] = pages.getCurrentResult().data.Employee___getPage.items;
const quiet = { refetchQueries: [], update: () => undefined };
await client.mutate({ mutation: gql(RENAME), variables: { id, name: "Quiet" }, ...quiet });
results.quiet = apollo.requests - before;
const { items, hasNext } = pages.getCurrentResult().data.Employee___getPage;
results.pages = { different: new Set(items.map((each) => each._id)).size, first: items[0].last_name, hasNext };
shown.unsubscribe();
for (const each of items) await mutate(DELETE, { id: each._id });

const urql = counted();
const other = urqlClient(BASE_URL, "Hr", urql.fetch);
const checked = ({ data, error }) => {
  if (error) throw error;
  return data;
};
results.urql = await play("urql", {
  async mutate(text, variables, key) {
    const context = key && { fetchOptions: { headers: { "idempotency-key": key } } };
    return checked(await other.mutation(text, variables, context).toPromise());
  },
  query: async (text, variables) => checked(await other.query(text, variables).toPromise()),
  watch(text, show) {
    const told = other.query(text, {}).subscribe((result) => show(checked(result)));
    return () => told.unsubscribe();
  },
}, urql);
console.log(JSON.stringify(results));
