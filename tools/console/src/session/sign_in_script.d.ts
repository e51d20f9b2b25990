// What the account page, GraphiQL, the API reference and the console share: see the file itself.

declare module "*/templates/sign_in.js" {
  export function canSignIn(): boolean;
  export function newProof(): Promise<{ verifier: string; challenge: string }>;
  export function leadToSignIn(
    address: string,
    options?: { note?: unknown; further?: Readonly<Record<string, string>>; replace?: boolean },
  ): Promise<void>;
  export function takeAnswer():
    | { code: string; verifier: string; note: unknown; error?: undefined }
    | { error: string; note: unknown }
    | null;
}
