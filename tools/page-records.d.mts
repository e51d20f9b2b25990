export function licenses(folder: string, modules: readonly string[]): Promise<string>;
export function fingerprint(contents: Readonly<Record<string, string | Uint8Array>>): string;
export function contentsOf(folder: string, names: readonly string[]): Promise<Record<string, Uint8Array>>;
