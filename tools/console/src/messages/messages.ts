// The texts of the console in the member's language. The English text is the key; the service's catalogs
// have the translations, and `make messages` finds every call of `t` and `plural`.

import { useSyncExternalStore } from "react";
import type { Catalog } from "./catalogs";

type Values = Readonly<Record<string, string | number>>;

let language = "en";
let catalog: Catalog = {};
const listeners = new Set<() => void>();

/** Shows all texts in a language from now on. `translations` has what the language calls the English texts. */
export function setLanguage(code: string, translations: Catalog): void {
  language = code;
  catalog = translations;
  document.documentElement.lang = code;
  for (const listener of listeners) listener();
}

/** Returns the code of the language, such as `en`. */
export function currentLanguage(): string {
  return language;
}

/** Makes a component draw again when the language changes. Returns the code of the language. */
export function useLanguage(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => language,
  );
}

/** Returns a text in the member's language. `values` replace what is in braces. */
export function t(text: string, values: Values = {}): string {
  const translated = catalog[text];
  return fill(typeof translated === "string" && translated ? translated : text, values);
}

/** Returns a text for a count, in the member's language. `{count}` is the count in its digits and separators. */
export function plural(count: number, one: string, many: string, values: Values = {}): string {
  const translated = catalog[one];
  const forms = Array.isArray(translated) && translated.every(Boolean) ? translated : [one, many];
  const form = forms[count === 1 ? 0 : Math.min(1, forms.length - 1)] ?? many;
  return fill(form, { count: new Intl.NumberFormat(language).format(count), ...values });
}

function fill(text: string, values: Values): string {
  return text.replace(/{(\w+)}/g, (braces, name: string) => String(values[name] ?? braces));
}
