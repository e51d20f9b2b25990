import { gql } from "@apollo/client/core";

// Returns what is wrong with the data of a form, which may lack required fields. Nothing is written.
export async function checkForm(client, className, data) {
  const query = gql(`query Check($data: ${className}DraftCreate!) {
    ${className}___validateCreate(data: $data) { issues { userMessage issueType issueLevel sourceRequestReference } }
  }`);
  const result = await client.query({ query, variables: { data }, fetchPolicy: "no-cache" });
  if (result.error) throw result.error;
  return result.data[`${className}___validateCreate`].issues.map((issue) => ({
    message: issue.userMessage,
    type: issue.issueType,
    level: issue.issueLevel,
    input: issue.sourceRequestReference, // such as Employee___validateCreate.data.email
  }));
}
