// What the build uses of gettext-parser, which has no types.
declare module "gettext-parser" {
  interface Entry {
    readonly msgid: string;
    readonly msgid_plural?: string;
    readonly msgstr: readonly string[];
    readonly comments?: { readonly reference?: string };
  }
  export const po: {
    parse(content: Uint8Array): {
      readonly translations: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
    };
  };
}
