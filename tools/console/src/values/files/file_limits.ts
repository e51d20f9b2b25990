// What a file must be like, by the model: checked before anything is uploaded.

import type { Attribute } from "../../description/model";
import { currentLanguage, t } from "../../messages/messages";
import { sizeText } from "./file_value";

interface FileLimits {
  readonly extensions: readonly string[];
  readonly maxSize: number | null;
}

/** Returns the limits of an attribute. No extensions: any are allowed. */
export function limitsOf({ file = {} }: Attribute): FileLimits {
  const { extensions, maxSize } = file;
  return {
    extensions: Array.isArray(extensions) ? extensions.map(String) : [],
    maxSize: typeof maxSize === "number" ? maxSize : null,
  };
}

/** Returns why a file can't be a value of an attribute, or null. */
export function fileProblem(
  { name, size }: Pick<File, "name" | "size">,
  attribute: Attribute,
): string | null {
  const { extensions, maxSize } = limitsOf(attribute);
  const isAllowed = extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`));
  if (extensions.length > 0 && !isAllowed) {
    return t("{name} isn't a file of the right type. Choose one that ends with {extensions}.", {
      name,
      extensions: listOf(extensions, "disjunction"),
    });
  }
  if (maxSize !== null && size > maxSize) {
    const sizes = { size: sizeText(size), limit: sizeText(maxSize) };
    return t("{name} has {size}. Choose a file of at most {limit}.", { name, ...sizes });
  }
  return null;
}

/** Returns the limits of an attribute in words, such as "png or jpeg, up to 1 MB". */
export function limitsText(attribute: Attribute): string {
  const { extensions, maxSize } = limitsOf(attribute);
  const types = listOf(extensions, "disjunction");
  if (maxSize === null) return types;
  const limit = sizeText(maxSize);
  return types ? t("{types}, up to {limit}", { types, limit }) : t("Up to {limit}", { limit });
}

function listOf(extensions: readonly string[], type: "disjunction"): string {
  const names = extensions.map((extension) => extension.toUpperCase());
  return new Intl.ListFormat(currentLanguage(), { type }).format(names);
}
