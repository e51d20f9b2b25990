// Which fields a refusal of the REST API is about. Its texts name fields in quotes.

export interface FieldErrors {
  /** What is wrong, by field. */
  readonly fields: Readonly<Record<string, string>>;
  /** What is about none of the fields. */
  readonly rest: string;
}

/**
 * Divides a refusal among the fields of a form.
 *
 * `labels` has what the form calls each field; the texts get these names. A refusal can be about several fields: each
 * part begins with the name of its own.
 */
export function fieldErrors(message: string, labels: Readonly<Record<string, string>>): FieldErrors {
  const names = Object.keys(labels);
  if (names.length === 0) return { fields: {}, rest: message };
  const beginnings = new RegExp(`(?<=[.!?]) (?="(?:${names.join("|")})")`);
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const part of message.split(beginnings)) {
    const text = part.replace(/"(\w+)"/g, (quoted, name: string) =>
      labels[name] ? `“${labels[name]}”` : quoted,
    );
    const field = names.find((name) => part.includes(`"${name}"`));
    if (field === undefined) rest.push(text);
    else fields[field] = fields[field] ? `${fields[field]} ${text}` : text;
  }
  return { fields, rest: rest.join(" ") };
}
