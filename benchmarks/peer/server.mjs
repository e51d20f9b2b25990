// PostGraphile as its documentation recommends for production: no GraphiQL, no watching, a pool of connections.
// Usage: NODE_ENV=production GRAPHILE_ENV=production node server.mjs PORT POSTGRES_URL

import { createServer } from "node:http";
import { PgAggregatesPreset } from "@graphile/pg-aggregates";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";

// The plugin groups by days and hours of timestamps. Its documentation says how to add other periods.
const MonthsPlugin = {
  name: "MonthsPlugin",
  schema: {
    hooks: {
      build: {
        after: ["PgAggregatesSpecsPlugin"],
        callback(build) {
          const { sql, dataplanPg: { TYPES } } = build;
          build.pgAggregateGroupBySpecs.push({
            id: "truncated-to-month",
            isSuitableType: (codec) => codec === TYPES.date,
            sqlWrap: (value) => sql`date_trunc('month', ${value})`,
            sqlWrapCodec: () => TYPES.timestamptz,
          });
          return build;
        },
      },
    },
  },
};
const [port, connectionString] = process.argv.slice(2);
const service = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset, PgAggregatesPreset],
  plugins: [MonthsPlugin],
  // Connections stay, because the CPU time of a process of PostgreSQL that has ended can no longer be read.
  pgServices: [makePgService({ connectionString, schemas: ["public"], poolConfig: { idleTimeoutMillis: 0 } })],
  disablePlugins: ["PgIndexBehaviorsPlugin"], // Clients may filter and sort by every column, as with Stratabase.
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
});
const server = createServer();
await service.createServ(grafserv).addTo(server);
server.listen(Number(port), "127.0.0.1");
