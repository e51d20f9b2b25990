// The text of the model, with the numbers of its lines and quiet colors.

import "./model_text.css";
import { useMemo } from "react";
import { t } from "../../messages/messages";
import { CopyButton } from "../copy_button";
import { highlightedLines } from "./highlight";

export function ModelText({ text, file }: { readonly text: string; readonly file: string }) {
  const lines = useMemo(() => highlightedLines(text.replace(/\n$/, "")), [text]);
  return (
    <div className="card model-text">
      <div className="model-text-header">
        <code className="user-text">{file}</code>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a region that takes the focus scrolls by keys. */}
      <section className="model-text-lines" tabIndex={0} aria-label={t("Text of the model")} dir="ltr">
        {lines.map((tokens, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity, and never move.
          <div key={index} className="model-text-line">
            <span className="line-number" data-number={index + 1} />
            <code>
              {tokens.map(({ kind, text: part }, place) =>
                kind === "plain" ? (
                  part
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other identity, and never move.
                  <span key={place} className={`token-${kind}`}>
                    {part}
                  </span>
                ),
              )}
            </code>
          </div>
        ))}
      </section>
    </div>
  );
}
