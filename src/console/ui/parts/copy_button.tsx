import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** A text of code that is copied by a press. */
export function CopyButton({ text, label = "Copy as JSON" }: { text: () => string; label?: string }) {
  const [done, setDone] = useState<"" | "copied" | "failed">("");
  useEffect(() => {
    if (done === "") return;
    const timer = setTimeout(() => setDone(""), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <Button
      icon={done === "copied" ? "ok" : "copy"}
      onClick={async () => {
        try {
          await copy(text());
          setDone("copied");
        } catch {
          setDone("failed");
        }
      }}
    >
      {done === "copied" ? "Copied" : done === "failed" ? "Could not copy" : label}
    </Button>
  );
}

/** Copies, also from pages that came over plain HTTP, where the browser has no clipboard to offer. */
async function copy(text: string): Promise<void> {
  if (isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser did not copy");
}
