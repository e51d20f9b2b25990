// The instant as of which the console shows the data: now, unless the member has chosen another.
//
// The address has it, as the query `asOf`, so that links and the browser's history keep it. This tab's
// sessionStorage has it too, for the way back from GraphiQL and the API reference.

import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";
import { leave } from "../components/leaving";

const PARAMETER = "asOf";
const KEPT_AS = "stratabase.asOf";
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Returns an instant in ISO 8601 with an offset, as `atVersion` takes it, or null for now. */
export function useAsOf(): string | null {
  return asOfIn(useSearch());
}

/** Shows the data as of an instant in ISO 8601 with an offset, or as of now if it is null. */
export function setAsOf(instant: string | null): void {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  if (instant) query.set(PARAMETER, instant);
  else query.delete(PARAMETER);
  leave(() => {
    keep(instant);
    navigate(withQuery(pathname, query));
  });
}

/** Returns the instant in the query of an address, or null if it has none that can be read. */
export function asOfIn(search: string): string | null {
  const found = new URLSearchParams(search).get(PARAMETER);
  return found && INSTANT.test(found) && !Number.isNaN(Date.parse(found)) ? found : null;
}

/** Returns an address of the console as of the instant of the page that leads there. */
export function withAsOf(to: string, search: string = window.location.search): string {
  const instant = asOfIn(search);
  const [address = "", hash] = to.split("#");
  const [path = "", query] = address.split("?");
  const parameters = new URLSearchParams(query);
  if (!instant || parameters.has(PARAMETER)) return to;
  parameters.set(PARAMETER, instant);
  return withQuery(path, parameters) + (hash === undefined ? "" : `#${hash}`);
}

/** Returns the address of a page as of an instant. */
export function atInstant(path: string, instant: string): string {
  return withQuery(path, new URLSearchParams({ [PARAMETER]: instant }));
}

/** Goes back to the instant that this tab showed last, unless the address has one. */
export function restoreAsOf(): void {
  const { pathname, search } = window.location;
  const kept = sessionStorage.getItem(KEPT_AS);
  if (asOfIn(search) || !kept) return;
  const query = new URLSearchParams(search);
  query.set(PARAMETER, kept);
  if (asOfIn(query.toString())) navigate(withQuery(pathname, query), { replace: true });
}

/** Remembers the instant for this tab. */
export function keep(instant: string | null): void {
  if (instant) sessionStorage.setItem(KEPT_AS, instant);
  else sessionStorage.removeItem(KEPT_AS);
}

function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
