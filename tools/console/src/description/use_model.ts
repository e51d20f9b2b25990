// The model in React: read once after the sign-in, and again when the session or the model changes.

import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { sendJson } from "../service/request";
import { serviceSettings } from "../service/settings";
import { Model, type ModelDescription } from "./model";

export const modelQuery = queryOptions({
  queryKey: ["model"],
  queryFn: async () => new Model(await sendJson<ModelDescription>(serviceSettings().addresses.model, "GET")),
  staleTime: 300_000,
  structuralSharing: false,
});

/** Returns the model. The component waits until it is read. */
export function useModel(): Model {
  return useSuspenseQuery(modelQuery).data;
}
