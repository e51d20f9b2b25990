// The page: the OpenAPI document of the service, shown by Swagger UI.

import "swagger-ui-dist/swagger-ui.css";
import "./page.css";

import { showBar } from "./sign-in.js";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const root = document.getElementById("root");
const dark = matchMedia("(prefers-color-scheme: dark)");

function followColorScheme() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

dark.addEventListener("change", followColorScheme);
followColorScheme();

let ui;
const complete = new Promise((resolve) => {
  ui = SwaggerUI({
    domNode: root,
    url: root.dataset.document,
    // No validator elsewhere is asked about the document.
    validatorUrl: null,
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    onComplete: resolve,
  });
});

// The document takes a while. Signing in does not wait for it, because its code is valid for a minute.
showBar({
  authorize: (scheme, token) => complete.then(() => ui.preauthorizeApiKey(scheme, token)),
  forget: (scheme) => complete.then(() => ui.authActions.logout([scheme])),
});
