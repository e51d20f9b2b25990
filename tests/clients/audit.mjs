// Runs the audit of the GraphQL-over-HTTP specification, and prints what came of each of its rules.
import { auditServer } from "graphql-http";

const { ADDRESS, AUTHORIZATION } = process.env;

function signedIn(address, options = {}) {
  return fetch(address, { ...options, headers: { ...options.headers, authorization: AUTHORIZATION } });
}

const results = await auditServer({ url: ADDRESS, fetchFn: signedIn });
console.log(JSON.stringify(results.map(({ name, status, reason }) => ({ name, status, reason }))));
