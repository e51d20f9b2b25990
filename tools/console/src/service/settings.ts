// What the service writes into the page: the application, and the addresses of the API relative to the page's base.

export interface Addresses {
  readonly graphql: string;
  readonly model: string;
  readonly token: string;
  readonly refresh: string;
  readonly exchange: string;
  readonly ways: string;
  readonly signIn: string;
  readonly forgotPassword: string;
  readonly member: string;
  readonly members: string;
  readonly file: string;
  readonly service: string;
  readonly audit: string;
  readonly account: string;
  readonly reference: string;
  readonly openapi: string;
  readonly health: string;
  /** Null if the settings switch GraphiQL off. */
  readonly graphiql: string | null;
  /** Null if the service has no documentation. */
  readonly documentation: string | null;
}

export interface ServiceSettings {
  readonly application: string;
  readonly version: string;
  /** The language of the catalog that fits the browser best. */
  readonly language: string;
  /** The languages of the service's catalogs. */
  readonly languages: readonly string[];
  readonly addresses: Addresses;
}

function readSettings(): ServiceSettings {
  const text = document.getElementById("root")?.dataset["service"];
  if (!text) throw new Error("The page has no settings of the service.");
  return JSON.parse(text) as ServiceSettings;
}

let settings: ServiceSettings | undefined;

/** Returns the settings in the page. It reads them once. */
export function serviceSettings(): ServiceSettings {
  settings ??= readSettings();
  return settings;
}
