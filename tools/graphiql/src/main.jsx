// The page: the form to sign in, or GraphiQL.

import "graphiql/style.css";
import "./page.css";

import { setNonce } from "get-nonce";
import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

import { Session } from "./session.js";
import { SignIn } from "./sign-in.jsx";
import { Workbench } from "./workbench.jsx";

const root = document.getElementById("root");
const { application, api, forgot, token, refresh } = root.dataset;
const session = new Session({ token, refresh });

function Page() {
  const username = useSyncExternalStore(session.subscribe, session.username);
  if (!username) {
    return (
      <SignIn
        application={application}
        farewell={session.farewell}
        forgot={forgot}
        signIn={(name, password) => session.signIn(name, password)}
      />
    );
  }
  return <Workbench application={application} address={api} session={session} username={username} />;
}

// Styles that dialogs add to the page are let in by the same nonce as this script.
setNonce(document.querySelector("script[nonce]").nonce);
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
