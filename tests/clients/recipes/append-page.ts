type Paged = Record<string, { items: unknown[] } | null | undefined>;

// The `updateQuery` of Apollo's `fetchMore`: adds the items of the next page to the items that are shown.
export function appendPage<Data>(shown: Data, { fetchMoreResult: next }: { fetchMoreResult: Data }): Data {
  const before = shown as Paged;
  const pages = Object.entries(next as Paged).map(([name, page]) => [
    name,
    page && { ...page, items: [...(before[name]?.items ?? []), ...page.items] },
  ]);
  return { ...shown, ...Object.fromEntries(pages) };
}
