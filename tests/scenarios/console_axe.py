"""What axe-core finds on a page of the console, in light and in dark."""

import os
from collections.abc import Sequence

import pytest
from playwright.sync_api import Page

from tests.page_sources import CONSOLE

AXE = CONSOLE / "node_modules/axe-core/axe.min.js"
RUN = """async ([only, without]) => {
  const options = {resultTypes: ["violations"]}
  if (only.length > 0) options.runOnly = only
  options.rules = Object.fromEntries(without.map((rule) => [rule, {enabled: false}]))
  const {violations} = await axe.run({exclude: ["[data-live-announcer]"]}, options)
  return violations.flatMap(({id, nodes}) =>
    nodes.map(({target, failureSummary}) => `${id}: ${target.join(" ")}: ${failureSummary}`))
}"""


def axe_source() -> str:
    """Return the text of axe-core. Without it, skip the test, except in CI."""
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip("axe-core is not installed: `make tools/console/node_modules/.done` does it")
    return AXE.read_text()


def violations(page: Page, without: Sequence[str] = ()) -> list[str]:
    """Return what is wrong with a page as it stands: with all other rules in light, those of colors in dark.

    What react-aria has announced is left out: it refers to elements that have gone since.
    The text runs as the debugger's, so that the page's content security policy stays as it is.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source())
    _be_still(page)
    found = [f"light: {each}" for each in page.evaluate(RUN, [[], [*without]])]
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    _be_still(page)
    found += [f"dark: {each}" for each in page.evaluate(RUN, [["color-contrast"], []])]
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return found


def _be_still(page: Page) -> None:
    """Wait until nothing fades in or moves, since contrast is measured as it is at that moment."""
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
