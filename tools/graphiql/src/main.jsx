// The page: the form to sign in, or GraphiQL.

import "graphiql/style.css";
import "./page.css";

import { setNonce } from "get-nonce";
import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

import { Session, asked } from "./session.js";
import { canSignIn, takeAnswer } from "./sign_in.js";
import { SignIn } from "./sign-in.jsx";
import { Workbench } from "./workbench.jsx";

const root = document.getElementById("root");
const { application, api, exchange, forgot, member, members, refresh, token, ways } = root.dataset;
const session = new Session({ exchange, member, members, refresh, token });

function Page() {
  const username = useSyncExternalStore(session.subscribe, session.username);
  if (!username) {
    return (
      <SignIn
        application={application}
        farewell={session.farewell}
        forgot={forgot}
        providers={providers}
        signIn={(name, password) => session.signIn(name, password)}
      />
    );
  }
  return <Workbench application={application} address={api} session={session} username={username} />;
}

async function findProviders() {
  if (!canSignIn()) return [];
  try {
    const response = await asked(ways);
    return response.ok ? (await response.json()).filter(({ name }) => name !== "password") : [];
  } catch {
    return []; // the form works without them
  }
}

const answer = takeAnswer();
if (answer) await session.comeBack(answer);
const providers = session.username() ? [] : await findProviders();

// Styles that dialogs add to the page are let in by the same nonce as this script.
setNonce(document.querySelector("script[nonce]").nonce);
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
