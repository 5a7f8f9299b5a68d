import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

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

/** Copies a text, also on pages over plain HTTP, where browsers have no `navigator.clipboard`. */
async function copy(text: string): Promise<void> {
  if (isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("Cannot copy: the browser refused");
}
