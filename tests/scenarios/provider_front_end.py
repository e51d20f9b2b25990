"""A front end at an origin of its own that signs in with the recipes of the documentation."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.scenarios.node_scripts import run_command, scripts

PAGE = """<!doctype html><meta charset="utf-8"><title>Front end</title><link rel="icon" href="data:,">
<button id="one">One</button> <button id="two">Two</button> <button id="link">Link</button>
<button id="fresh">Fresh</button> <button id="out">Sign out</button><pre id="result"></pre>
<script type="module">
import {{ openSession }} from "./session.js";
import {{ leadToProvider, takeAnswer }} from "./provider.js";

const BASE = {base_url};
const session = openSession(BASE);
const say = (value) => (document.querySelector("#result").textContent = JSON.stringify(value));
const fail = (error) => say({{ failed: error.message }});
const on = (id, act) =>
  document.querySelector(`#${{id}}`).addEventListener("click", () => act().catch(fail));
const lead = (provider, options) => () => leadToProvider(BASE, provider, options);

on("one", lead("one"));
on("two", lead("two"));
on("link", lead("one", {{ purpose: "link", returnTo: `${{location.origin}}/?linking=1` }}));
on("fresh", lead("one", {{ maxAge: 60 }}));
on("out", async () => {{
  const query = new URLSearchParams({{ returnTo: `${{location.origin}}/` }});
  location.assign(`${{BASE}}/public/signIn/one/signOut?${{query}}`);
}});

const answer = takeAnswer();
try {{
  if (answer?.error) say(answer);
  else if (answer && location.search === "?linking=1") {{
    await session.signIn("anna", {password});
    const {{ id }} = await session.json("/auth/administration/member");
    const headers = {{ "content-type": "application/json" }};
    const options = {{ method: "POST", headers, body: JSON.stringify(answer) }};
    say(await session.json(`/auth/administration/members/${{id}}/links`, options));
  }} else if (answer) {{
    await session.exchange(answer.code, answer.verifier);
    say(await session.json("/auth/administration/member"));
  }} else say(null);
}} catch (error) {{
  fail(error);
}}
</script>
"""


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and logs nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is Python's
        pass


@contextmanager
def front_end_server(folder: Path) -> Iterator[str]:
    """Serve a folder at an origin, which is returned."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def build_front_end(folder: Path, base_url: str, password: str) -> None:
    """Put the page, and the recipes in JavaScript, into a folder."""
    with scripts() as built:
        run_command(built, "tsc", "--project", ".")
        for name in ("session", "provider"):
            shutil.copy(built / f"built/recipes/{name}.js", folder)
    page = PAGE.format(base_url=json.dumps(base_url), password=json.dumps(password))
    (folder / "index.html").write_text(page, encoding="utf-8")
