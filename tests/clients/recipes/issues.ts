type GraphQLErrors = readonly { message: string; extensions?: Record<string, unknown> }[];
type ClientError = { message: string; errors?: GraphQLErrors; graphQLErrors?: GraphQLErrors; networkError?: Error };

export type Issue = { message: string; type?: string; level?: string; input?: string; attributes?: string[] };

// Returns what is wrong, and where, from an error of Apollo Client or urql.
export function issuesOf(thrown: unknown): Issue[] {
  const error = thrown as ClientError;
  const errors = error.errors ?? error.graphQLErrors ?? [];
  // Without an answer of GraphQL, such as after a wrong password, there is only a message.
  if (errors.length === 0) return [{ message: (error.networkError ?? error).message }];
  return errors.map(({ message, extensions: issue = {} }) => ({
    message, // in the language of the member
    type: (issue.issueType ?? issue.classification) as string, // for the program
    level: issue.issueLevel as string, // ERROR or WARNING
    input: issue.sourceRequestReference as string, // the place in the request, such as Employee___create.data.email
    attributes: (issue.attributeNames ?? []) as string[], // such as ["email"]
  }));
}
