// Signs in and out with the recipe, while the service fails, and prints what a person sees.
import { webcrypto } from "node:crypto";

import { openSession } from "./built/recipes/session.js";

globalThis.crypto ??= webcrypto;
const { BASE_URL, USERNAME, PASSWORD } = process.env;

// Anything else than "omit" lets a browser show its own sign-in window.
const credentials = new Set();
const plain = globalThis.fetch;
globalThis.fetch = (address, options) => {
  credentials.add(options.credentials);
  return plain(address, options);
};

const reason = (error) => error.message;
const asked = [];
const askCredentials = () => {
  asked.push("asked");
  return { username: USERNAME, password: PASSWORD };
};
const body = JSON.stringify({ query: 'mutation { Team___create(data: { name: "Key" }) { _id } }' });
const headers = { "content-type": "application/json", "idempotency-key": "key-of-the-page" };
const member = async (session) => (await session.json("/auth/administration/member")).username;

const session = openSession(BASE_URL, { wait: () => {}, renewAfter: 0 });
const results = { before: await member(session).catch(reason) };
results.wrong = await session.signIn(USERNAME, "wrong").catch(reason);
results.html = await session.signIn(USERNAME, PASSWORD).catch(reason); // 502 four times
await session.signIn(USERNAME, PASSWORD); // 502 once
results.member = await member(session);
results.renewalFails = await member(session); // 503 four times: the token is still good
const write = async () => (await session.json("/auth/api/graphql/Hr", { method: "POST", headers, body })).data;
results.sameKey = [await write(), await write()].map((each) => each.Team___create._id);
await session.signIn(USERNAME, PASSWORD);
const late = session.json("/auth/administration/member").catch(reason); // while the token is renewed
await session.signOut();
results.late = await late;
results.after = await member(session).catch(reason);

const asking = openSession(BASE_URL, { askCredentials, wait: () => {}, renewAfter: 0 });
results.asking = await Promise.all([member(asking), member(asking)]);
results.again = await member(asking); // the token and its renewal are refused
const { id } = await session.signIn(USERNAME, PASSWORD).then(() => session.json("/auth/administration/member"));
const change = JSON.stringify({ password: "a violin by the lake", currentPassword: "wrong" });
const put = { method: "PUT", headers: { "content-type": "application/json" }, body: change };
results.change = await (await session.fetch(`${BASE_URL}/auth/administration/members/${id}`, put)).text();

console.log(JSON.stringify({ ...results, asked: asked.length, credentials: [...credentials] }));
