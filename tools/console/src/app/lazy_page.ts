// Loads the code of a page when it is opened.

import { type ComponentType, lazy } from "react";
import { t } from "../messages/messages";
import { connection } from "../service/connection";
import { ServiceError } from "../service/errors";

interface PageModule<P> {
  readonly default: ComponentType<P>;
}

const RELOADED_AT = "stratabase.reloaded";
/** Milliseconds within which a second loading would not help either. */
const LATELY = 30_000;

export function lazyPage<P>(load: () => Promise<PageModule<P>>) {
  return lazy(() => loadPage(load));
}

/**
 * Loads the code of a page.
 *
 * If that fails, waits until the service answers, and loads the whole console again at the same address: browsers keep
 * a failed import for ever, and a newer version of the service has other files. Nothing is lost, since the member has
 * just left the former page. Throws a ServiceError if that did not help.
 */
export async function loadPage<T>(load: () => Promise<T>, reload = () => location.reload()): Promise<T> {
  try {
    return await load();
  } catch {
    await connection.answers();
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < LATELY) {
      throw new ServiceError(
        "FAILED",
        t("A part of the console can't be loaded. Load the page again later."),
      );
    }
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    reload();
    return new Promise(() => undefined); // until the browser has left the page
  }
}
