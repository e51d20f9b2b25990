// A button that copies a text.

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../components/button";
import { t } from "../messages/messages";

const SHOWN = 2000; // milliseconds

export function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN);
    return () => clearTimeout(timer);
  }, [isCopied]);

  return (
    <Button
      icon={isCopied ? Check : Copy}
      isSmall
      onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? t("Copied") : t("Copy")}
    </Button>
  );
}
