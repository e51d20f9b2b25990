// An identity provider for tests: the certified library oidc-provider, with people whom a test can change.
//
// PORT and CLIENTS (a JSON list of clients) are its settings. A test changes it at POST /control with JSON:
// `people` (claims by subject) adds or replaces people, and `rotate` replaces its keys.
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import Provider, { errors } from "oidc-provider";

const port = Number(process.env.PORT);
const issuer = `http://127.0.0.1:${port}`;
const people = new Map();
const CLAIMS = ["preferred_username", "email", "email_verified", "groups"];

function newKeys() {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" });
  return { keys: [{ ...rsa, kid: randomUUID(), use: "sig", alg: "RS256" }] };
}

function newProvider() {
  const provider = new Provider(issuer, {
    clients: JSON.parse(process.env.CLIENTS),
    jwks: newKeys(),
    cookies: { keys: ["for tests only"] },
    claims: { openid: ["sub"], profile: CLAIMS },
    scopes: ["openid", "profile", "email", "offline_access"],
    conformIdTokenClaims: false,
    findAccount: (_context, id) =>
      people.has(id) ? { accountId: id, claims: () => ({ sub: id, ...people.get(id) }) } : undefined,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    // Whoever signs in has agreed to everything.
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client.clientId,
        accountId: context.oidc.session.accountId,
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: (_context, resource) => ({
          scope: "openid profile email",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
        useGrantedResource: () => true,
      },
      rpInitiatedLogout: {
        enabled: true,
        // Without a question, as a provider may do for a known address.
        logoutSource: (context, form) => {
          context.body = `<!doctype html><title>Sign out</title>${form}
            <button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
      },
    },
  });
  provider.on("server_error", (_context, error) => console.error(error));
  return provider;
}

let provider = newProvider();

async function body(request) {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

async function control(request, response) {
  const change = JSON.parse(await body(request));
  for (const [subject, claims] of Object.entries(change.people ?? {})) people.set(subject, claims);
  if (change.rotate) provider = newProvider();
  response.writeHead(204).end();
}

async function interact(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  if (request.method === "GET") {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end(`<!doctype html><title>Provider</title><h1>Sign in for ${params.client_id}</h1>
      <form method="post"><input name="login" id="login"><button id="submit">Sign in</button>
      <button id="cancel" name="cancel" value="1">Cancel</button></form>`);
    return;
  }
  const sent = new URLSearchParams(await body(request));
  const result = sent.has("cancel")
    ? { error: "access_denied", error_description: "The person <b>has cancelled</b>." }
    : { login: { accountId: sent.get("login") } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

createServer((request, response) => {
  const done =
    request.url === "/control"
      ? control(request, response)
      : request.url.startsWith("/interaction/")
        ? interact(request, response)
        : provider.callback()(request, response);
  Promise.resolve(done).catch((error) => {
    const status = error instanceof errors.OIDCProviderError ? error.statusCode : 500;
    response.writeHead(status).end(String(error));
  });
}).listen(port, "127.0.0.1", () => console.log("ready"));
