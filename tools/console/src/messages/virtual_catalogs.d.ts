// The modules that the build makes of the catalogs of the service (build/catalogs.ts).
declare module "virtual:catalogs" {
  const loaders: Readonly<Record<string, () => Promise<{ readonly default: import("./catalogs").Catalog }>>>;
  export default loaders;
}
