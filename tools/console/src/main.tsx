// Starts the console in the page that the service serves.

import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Console } from "./app/console";
import { loadCatalog } from "./messages/catalogs";
import { setLanguage } from "./messages/messages";
import { serviceSettings } from "./service/settings";

const { language } = serviceSettings();
setLanguage(language, await loadCatalog(language));

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
}
