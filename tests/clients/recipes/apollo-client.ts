import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import type { Cache, OperationVariables } from "@apollo/client";
import { visit } from "graphql";
import type { FieldNode } from "graphql";

// A query can have data and errors, for example for attributes that the member must not read.
declare module "@apollo/client" {
  namespace ApolloClient.DeclareDefaultOptions {
    interface Query {
      errorPolicy: "all";
    }
    interface WatchQuery {
      errorPolicy: "all";
    }
  }
}

// These fields show old, deleted and unsaved states of objects.
const OTHER_STATES = /___(getVersion|getVersionPage|getDeletedPage|preview|previewCreate|previewUpdate)$/;
const APART = Symbol("apart");

function showsOtherState({ name, arguments: given }: FieldNode): boolean {
  const isPast = given?.some((each) => each.name.value === "atVersion") && /___get/.test(name.value);
  return isPast || OTHER_STATES.test(name.value);
}

function keepApart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keepApart);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, keepApart(field)]);
  return { ...Object.fromEntries(fields), [APART]: true };
}

// Stores each object once, by its `_id`, and its other states with the query that asked for them.
class ObjectCache extends InMemoryCache {
  constructor() {
    super({
      dataIdFromObject: (object) =>
        object._id && !(APART in object) ? `${object.__typename}:${object._id}` : undefined,
      // Queries of the same page add to each other's fields.
      possibleTypes: { Page: ["\\w+Page"] },
      typePolicies: { Page: { merge: true } },
    });
  }

  override write<Data, Variables extends OperationVariables>(options: Cache.WriteOptions<Data, Variables>) {
    const result: Record<string, unknown> = { ...(options.result as object) };
    visit(options.query, {
      Field(field) {
        const key = (field.alias ?? field.name).value;
        if (showsOtherState(field)) result[key] = keepApart(result[key]);
      },
    });
    return super.write({ ...options, result: result as typeof options.result });
  }
}

export function apolloClient(baseUrl: string, application: string, signedIn: typeof fetch) {
  return new ApolloClient({
    link: new HttpLink({ uri: `${baseUrl}/auth/api/graphql/${application}`, fetch: signedIn }),
    cache: new ObjectCache(),
    defaultOptions: {
      query: { errorPolicy: "all" },
      watchQuery: { errorPolicy: "all" },
      mutate: {
        // A mutation can change lists, counts and other objects, so each query is read again.
        update: (cache) => void cache.evict({ id: "ROOT_QUERY" }),
        refetchQueries: "active",
      },
    },
  });
}
