// The translations of the console's texts, loaded when their language is needed.

/** The translations by English text: one text, or the forms for one and for many. */
export type Catalog = Readonly<Record<string, string | readonly string[]>>;

/** Returns the catalog of a language. English needs none. */
export async function loadCatalog(_language: string): Promise<Catalog> {
  return {};
}
