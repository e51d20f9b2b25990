// The instant as of which the console shows the data: now, unless the member has chosen another.

/** Returns an instant in ISO 8601 with an offset, as `atVersion` takes it, or null for now. */
export function useAsOf(): string | null {
  return null;
}
