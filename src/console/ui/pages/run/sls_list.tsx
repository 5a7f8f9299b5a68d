import { useEffect, useMemo, useState } from "preact/hooks";
import { isForbidden } from "../../../api.ts";
import { errorText } from "../../../text.ts";
import type { SlsFile } from "../../store/function_docs.ts";
import { useStore } from "../../store/store_context.ts";
import type { useCommand } from "./use_command.ts";

/** The most files that are listed; a search finds the others. */
const SHOWN = 100;

/** The SLS files of the master, each with its first comment: a click adds a file to the argument, or removes it. */
export function SlsList({ command: { form, filled, setFilled, where } }: { command: ReturnType<typeof useCommand> }) {
  const store = useStore();
  const [files, setFiles] = useState<readonly SlsFile[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    let over = false;
    store.functions.slsFiles().then((found) => !over && setFiles(found), (caught) => !over && setError(caught));
    return () => {
      over = true;
    };
  }, []);
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return (files ?? []).filter(({ name, comment }) => `${name} ${comment}`.toLowerCase().includes(wanted));
  }, [files, text]);
  const isField = form.fields.some(({ name }) => name === "mods");
  const entry = isField ? filled.fields.mods?.text ?? "" : filled.more[0]?.text ?? "";
  const chosen = entry.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    const value = { text: next.join(",") };
    setFilled(
      isField
        ? { ...filled, fields: { ...filled.fields, mods: value } }
        : { ...filled, more: [value, ...filled.more.slice(1)] },
    );
  };
  if (error !== undefined) {
    return (
      <p class="hint">
        {isForbidden(error)
          ? "This account may not list SLS files: it needs fileserver.sls_list in its @runner permissions."
          : `SLS files cannot be listed: ${errorText(error)}`}
      </p>
    );
  }
  if (files === undefined) return <p class="hint">Loading SLS files…</p>;
  if (files.length === 0) return <p class="hint">The master serves no SLS files (option file_roots).</p>;
  return (
    <details class="step doc sls" open={files.length <= SHOWN || where !== "minions"}>
      <summary>{files.length.toLocaleString("en")} SLS files</summary>
      {files.length > 8 && (
        <input
          type="search"
          aria-label="Search SLS files"
          placeholder="Name or comment"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul>
        {shown.slice(0, SHOWN).map(({ name, comment }) => (
          <li key={name}>
            <label class="facet">
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
              <span class="mono">{name}</span>
              <span class="muted small cut grow" title={comment}>{comment}</span>
            </label>
          </li>
        ))}
      </ul>
      {shown.length > SHOWN && <p class="hint">and {(shown.length - SHOWN).toLocaleString("en")} more: search</p>}
    </details>
  );
}
