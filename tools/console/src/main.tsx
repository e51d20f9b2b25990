// Starts the console in the page that the service serves.

import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Console } from "./app/console";
import { loadCatalog } from "./messages/catalogs";
import { setLanguage } from "./messages/messages";
import { connection } from "./service/connection";
import { serviceSettings } from "./service/settings";
import { comeBack, endsWindow } from "./session/provider";
import { session } from "./session/session";

async function start(): Promise<void> {
  if (endsWindow()) return;
  connection.start();
  const { language } = serviceSettings();
  const [catalog] = await Promise.all([loadCatalog(language), findSession()]);
  setLanguage(language, catalog);
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
}

async function findSession(): Promise<void> {
  await comeBack();
  await session.start();
}

void start();
