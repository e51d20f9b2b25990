// What every client does, and in which form it tells what it got.

export const { ADDRESS, AUTHORIZATION } = process.env;
export const SIGNED_IN = { authorization: AUTHORIZATION };

export const CREATE = `
  mutation Create($book: BookCreate!) {
    Book___create(data: $book) {
      ...Shown
      price
    }
  }

  fragment Shown on Book {
    _id
    title
    published(format: "yyyy")
  }
`;

export const FIND = `
  query Find($filter: BookFilter, $next: Int = 5, $counted: Boolean!) {
    found: Book___getPage(options: { filter: $filter, next: $next, orderBy: [title___ASC] }) {
      totalCount @include(if: $counted)
      items {
        ...Shown
      }
    }
  }

  fragment Shown on Book {
    _id
    title
    published(format: "yyyy")
  }
`;

export const WRONG_FIELD = "{ Book___getPage { pages } }";
export const HALF = `
  {
    good: Book___getPage { totalCount }
    bad: Book___get(_id: "none") { title }
    refused: Book___getPage(options: { next: -1 }) { totalCount }
  }
`;

export const BOOKS = [
  { title: "Middlemarch", published: "1871-12-01", price: "12.50" },
  { title: "Emma", published: "1815-12-23", price: 9.5 },
  { title: "Persuasion", published: "1817-12-20" },
];
export const FILTER = { OR: [{ title___starts_with: "E" }, { price___null: true }] };

// `mutate` and `query` take a document and variables and return data, or throw; `half` returns data and errors.
export async function play(client) {
  const created = [];
  for (const book of BOOKS) {
    created.push((await client.mutate(CREATE, { book })).Book___create);
  }
  const told = {
    created: created.map(({ title, published, price }) => ({ title, published, price })),
    found: await titles(client, { filter: FILTER, counted: true }),
    uncounted: await titles(client, { filter: { _id___eq: created[0]._id }, counted: false }),
    refused: await refusal(client.mutate(CREATE, { book: { title: "X", published: "soon", price: -1 } }), client),
    wrong: await refusal(client.query(WRONG_FIELD, {}), client),
    half: await client.half(HALF),
  };
  console.log(JSON.stringify(told));
}

async function titles(client, variables) {
  const { found } = await client.query(FIND, variables);
  return { count: found.totalCount ?? null, titles: found.items.map((item) => item.title) };
}

async function refusal(promise, client) {
  try {
    await promise;
  } catch (error) {
    return client.errorsOf(error).map(short);
  }
  return [];
}

export function short({ path, extensions }) {
  return { path: path?.join(".") ?? null, type: extensions.issueType ?? extensions.classification };
}
