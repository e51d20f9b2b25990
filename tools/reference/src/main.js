// The page: the OpenAPI document of the service, shown by Swagger UI.

import "swagger-ui-dist/swagger-ui.css";
import "./page.css";

import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const root = document.getElementById("root");
const dark = matchMedia("(prefers-color-scheme: dark)");

function followColorScheme() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

dark.addEventListener("change", followColorScheme);
followColorScheme();

SwaggerUI({
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
});
