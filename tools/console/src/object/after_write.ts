// What the console reads anew after a write.

import type { QueryClient } from "@tanstack/react-query";

/** Forgets what a write may have changed: lists, choices, other objects with the same roles, and history. */
export async function invalidateAfterWrite(
  client: QueryClient,
  className: string,
  id: string,
): Promise<void> {
  const isOther = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    queryKey[0] === "object" && !(queryKey[1] === className && queryKey[2] === id);
  await Promise.all([
    client.invalidateQueries({ queryKey: ["list"] }),
    client.invalidateQueries({ queryKey: ["associables"] }),
    client.invalidateQueries({ queryKey: ["history", className, id] }),
    client.invalidateQueries({ predicate: isOther }),
  ]);
}
