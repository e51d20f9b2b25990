// Returns what is wrong, and where, from an error of Apollo Client or urql.
export function issuesOf(error) {
  const errors = error.errors ?? error.graphQLErrors ?? [];
  // Without an answer of GraphQL, such as after a wrong password, there is only a message.
  if (errors.length === 0) return [{ message: (error.networkError ?? error).message }];
  return errors.map(({ message, extensions }) => ({
    message, // in the language of the member
    type: extensions.issueType ?? extensions.classification, // for the program
    level: extensions.issueLevel, // ERROR or WARNING
    input: extensions.sourceRequestReference, // the place in the request, such as Employee___create.data.email
  }));
}
