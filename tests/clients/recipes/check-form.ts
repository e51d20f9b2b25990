import { gql } from "@apollo/client";
import type { ApolloClient, TypedDocumentNode } from "@apollo/client";

import type { Issue } from "./issues";

type Found = {
  userMessage: string;
  issueType: string;
  issueLevel: string;
  sourceRequestReference: string;
  attributeNames: string[] | null;
};
type Checked = Record<string, { issues: Found[] } | null>;

// Returns what is wrong with the data of a form, which may lack required fields. Nothing is written.
export async function checkForm(client: ApolloClient, className: string, data: object): Promise<Issue[]> {
  const query: TypedDocumentNode<Checked, { data: object }> = gql(`query Check($data: ${className}DraftCreate!) {
    ${className}___validateCreate(data: $data) {
      issues { userMessage issueType issueLevel sourceRequestReference attributeNames }
    }
  }`);
  const result = await client.query({ query, variables: { data }, fetchPolicy: "no-cache" });
  const checked = result.data?.[`${className}___validateCreate`];
  if (!checked) throw result.error;
  return checked.issues.map((issue) => ({
    message: issue.userMessage,
    type: issue.issueType,
    level: issue.issueLevel,
    input: issue.sourceRequestReference, // such as Employee___validateCreate.data.email
    attributes: issue.attributeNames ?? [],
  }));
}
