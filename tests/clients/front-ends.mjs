// Runs the recipes of the docs, and prints what each client got.
import { webcrypto } from "node:crypto";
import { gql } from "@apollo/client";

import { apolloClient } from "./built/recipes/apollo-client.js";
import { checkForm } from "./built/recipes/check-form.js";
import { issuesOf } from "./built/recipes/issues.js";
import { openSession } from "./built/recipes/session.js";
import { upload } from "./built/recipes/upload.js";
import { urqlClient } from "./built/recipes/urql-client.js";

globalThis.crypto ??= webcrypto;
const { BASE_URL, USERNAME, PASSWORD, PICTURE } = process.env;

const CREATE = `mutation Create($name: String!) { Team___create(data: { name: $name }) { _id name } }`;
const HIRE = `mutation Hire($photo: PendingFileReference!) {
  Employee___create(data: { first_name: "Ada", last_name: "King", email: "ada@example.com", photo: $photo }) {
    _id photo { name size } _versionStart(format: "dd-MM-yyyy HH:mm:ss.SSS")
  }
}`;
const LOCK = `mutation Lock($id: ID!) { lock(locks: [{ entityName: Employee, _id: $id }]) { locked } }`;
const SAVE = `mutation Save($id: ID!, $version: Datetime!) {
  Employee___update(data: { _id: $id, last_name: "Byron" }, ifVersion: $version) { last_name }
}`;
const TEAMS = `query Teams($name: String!) { Team___getPage(options: { filter: { name___eq: $name } }) { totalCount } }`;

// `mutate` and `query` return data, or throw.
async function play(name, { mutate, query }, session) {
  const told = { created: (await mutate(CREATE, { name })).Team___create.name };
  told.count = (await query(TEAMS, { name })).Team___getPage.totalCount;
  told.refused = await mutate(CREATE, { name }).catch(issuesOf);
  if (name === "apollo") {
    const file = new File([Buffer.from(PICTURE, "base64")], "ada.png", { type: "image/png" });
    const photo = await upload(session, "Employee", "photo", file);
    const { _id: id, photo: shown, _versionStart: version } = (await mutate(HIRE, { photo })).Employee___create;
    told.photo = { name: shown.name, size: shown.size };
    const large = new File([new Uint8Array(4_400_001)], "large.png");
    told.tooLarge = await upload(session, "Employee", "photo", large).catch((error) => error.message);
    told.wrongFile = await upload(session, "Employee", "none", file).catch((error) => error.message);
    told.locked = (await mutate(LOCK, { id })).lock.locked;
    told.saved = (await mutate(SAVE, { id, version })).Employee___update.last_name;
    told.conflict = await mutate(SAVE, { id, version }).catch(issuesOf);
  }
  return told;
}

const wrong = () => openSession(BASE_URL, { askCredentials: () => ({ username: USERNAME, password: "wrong" }) }).fetch;
const askCredentials = () => ({ username: USERNAME, password: PASSWORD });
const results = {};
for (const renewAfter of [0.8, 0]) {
  const session = openSession(BASE_URL, { askCredentials, wait: () => {}, renewAfter });
  if (renewAfter) {
    const client = apolloClient(BASE_URL, "Hr", session.fetch);
    const mutate = async (text, variables) => (await client.mutate({ mutation: gql(text), variables })).data;
    const query = async (text, variables) => (await client.query({ query: gql(text), variables })).data;
    results.apollo = await play("apollo", { mutate, query }, session);
    results.apollo.checked = await checkForm(client, "Employee", { first_name: "Ada", last_name: null, email: "ada" });
    const refused = await apolloClient(BASE_URL, "Hr", wrong()).query({ query: gql(TEAMS), variables: { name: "x" } });
    results.apollo.wrong = issuesOf(refused.error);
  } else {
    const client = urqlClient(BASE_URL, "Hr", session.fetch);
    const checked = async ({ data, error }) => {
      if (error) throw error;
      return data;
    };
    const mutate = async (text, variables) => checked(await client.mutation(text, variables).toPromise());
    const query = async (text, variables) => checked(await client.query(text, variables).toPromise());
    results.urql = await play("urql", { mutate, query }, session);
    results.urql.wrong = issuesOf((await urqlClient(BASE_URL, "Hr", wrong()).query(TEAMS, { name: "x" })).error);
  }
}
console.log(JSON.stringify(results));
