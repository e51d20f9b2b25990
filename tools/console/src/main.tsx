// Starts the console in the page that the service serves.
import { createRoot } from "react-dom/client";

const root = document.getElementById("root");
if (root) createRoot(root).render(<p>{root.dataset["application"]}</p>);
