// GraphiQL, for the member who is signed in.

import { GraphiQL } from "graphiql";
import { useEffect, useMemo, useRef } from "react";

import { mendEditors } from "./editors.js";
import { fetcherOf } from "./fetcher.js";
import { storageOf } from "./storage.js";

const WELCOME = `# Ctrl-Space: completion
# Ctrl-Enter: run
# Tab: leave the editor

{
  __typename
}
`;

export function Workbench({ application, address, session, username }) {
  const fetcher = useMemo(() => fetcherOf(address, session), [address, session]);
  const storage = useMemo(() => storageOf(application, username), [application, username]);
  const container = useRef(null);

  useEffect(() => mendEditors(container.current), []);

  return (
    <div className="workbench" ref={container}>
      <header>
        <h1>
          <span className="application">{application}</span> GraphiQL
        </h1>
        <p>
          <span className="visually-hidden">Signed in as </span>
          <strong id="member">{username}</strong>
        </p>
        <button type="button" id="sign-out" onClick={() => session.signOut()}>
          Sign out
        </button>
      </header>
      <main>
        <GraphiQL
          fetcher={fetcher}
          storage={storage}
          defaultQuery={WELCOME}
          defaultEditorToolsVisibility="variables"
          isHeadersEditorEnabled={false}
          shouldPersistHeaders={false}
        >
          <GraphiQL.Logo>{""}</GraphiQL.Logo>
        </GraphiQL>
      </main>
    </div>
  );
}
