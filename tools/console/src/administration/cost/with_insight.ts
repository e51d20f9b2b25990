// Makes a document ask for its own cost: adds the argument `insight: FULL` to each service in it.

const ARGUMENT = "insight: FULL";
/** A comment, a string, a name, or any other character of a document. */
const TOKEN = /#[^\n]*|"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|[\s\S]/g;
const SERVICE = /^[A-Za-z_]\w*___\w+$/;

/** Returns a document whose services also report what they cost. */
export function withInsight(document: string): string {
  const tokens = document.match(TOKEN) ?? [];
  const depth = new Depth();
  let result = "";
  let isAfterService = false;
  for (const [index, token] of tokens.entries()) {
    if (isAfterService && token.trim() !== "") {
      // The arguments of the service, or what follows a service without any.
      const hasArguments = token === "(";
      result = hasArguments ? `${result}(${ARGUMENT}, ` : `${result.trimEnd()}(${ARGUMENT}) ${token}`;
      isAfterService = false;
    } else {
      result += token;
      isAfterService ||= depth.isRoot && SERVICE.test(token) && next(tokens, index) !== ":";
    }
    depth.take(token);
  }
  return result;
}

/** How deep a place is in the selections of an operation. */
class Depth {
  #braces = 0;
  #parentheses = 0;

  /** Whether the place is among the root fields. */
  get isRoot(): boolean {
    return this.#braces === 1 && this.#parentheses === 0;
  }

  take(token: string): void {
    if (token === "(") this.#parentheses += 1;
    else if (token === ")") this.#parentheses -= 1;
    // Braces within parentheses are objects, as in the default of a variable.
    else if (token === "{" && this.#parentheses === 0) this.#braces += 1;
    else if (token === "}" && this.#parentheses === 0) this.#braces -= 1;
  }
}

/** Returns the next token that is not a space. */
function next(tokens: readonly string[], index: number): string | undefined {
  return tokens.slice(index + 1).find((token) => token.trim() !== "");
}
