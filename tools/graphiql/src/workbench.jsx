// GraphiQL, for the member who is signed in.

import { GraphiQL } from "graphiql";
import { useEffect, useMemo, useRef, useState } from "react";

import { mendEditors } from "./editors.js";
import { fetcherOf } from "./fetcher.js";
import { WELCOME, firstTabs } from "./first-queries.js";
import { keepsTabs, storageOf } from "./storage.js";

export function Workbench({ application, address, session, username }) {
  const fetcher = useMemo(() => fetcherOf(address, session), [address, session]);
  const storage = useMemo(() => storageOf(application, username), [application, username]);
  const container = useRef(null);
  const [tabs, setTabs] = useState(() => (keepsTabs(storage) ? [] : null));

  useEffect(() => {
    if (tabs === null) firstTabs(fetcher).then(setTabs);
  }, [fetcher, tabs]);
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
        {tabs === null ? (
          <p role="status">Reading the schema…</p>
        ) : (
          <GraphiQL
            fetcher={fetcher}
            storage={storage}
            defaultQuery={WELCOME}
            defaultTabs={tabs.length ? tabs : undefined}
            defaultEditorToolsVisibility="variables"
            isHeadersEditorEnabled={false}
            shouldPersistHeaders={false}
          >
            <GraphiQL.Logo>{""}</GraphiQL.Logo>
          </GraphiQL>
        )}
      </main>
    </div>
  );
}
