// Divides the text of a model into tokens, so that it can be shown in colors.

export type TokenKind = "comment" | "string" | "keyword" | "directive" | "type" | "number" | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** One alternative for each kind, in this order, and one for what has no color. */
const TOKEN =
  /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?)|\b(extend|schema|type|enum|input|interface|union|scalar|directive|true|false|null)\b(?!\s*:)|(@\w+)|\b([A-Z]\w*)\b|(-?\b\d[\d.]*\b)|[\s\S]/g;
const KINDS: readonly TokenKind[] = ["comment", "string", "keyword", "directive", "type", "number"];

/** Returns the lines of a text, each as its tokens. A token never spans lines. */
export function highlightedLines(text: string): readonly (readonly Token[])[] {
  const lines: Token[][] = [[]];
  for (const match of text.matchAll(TOKEN)) {
    const kind = KINDS.find((_, index) => match[index + 1] !== undefined) ?? "plain";
    const [first = "", ...rest] = match[0].split("\n");
    append(lines, kind, first);
    for (const part of rest) {
      lines.push([]);
      append(lines, kind, part);
    }
  }
  return lines;
}

/** Appends a token to the last line. Neighbors of one kind become one token. */
function append(lines: Token[][], kind: TokenKind, text: string): void {
  const line = lines[lines.length - 1];
  if (!line || text === "") return;
  const last = line[line.length - 1];
  if (last?.kind === kind) line[line.length - 1] = { kind, text: last.text + text };
  else line.push({ kind, text });
}
