// The translations of the console's texts, loaded when their language is needed.
import loaders from "virtual:catalogs";

/** The translations by English text: one text, or the forms for one and for many. */
export type Catalog = Readonly<Record<string, string | readonly string[]>>;

/** Returns the catalog of a language. It is empty for English, and for a language that has none. */
export async function loadCatalog(language: string): Promise<Catalog> {
  return (await loaders[language]?.())?.default ?? {};
}
