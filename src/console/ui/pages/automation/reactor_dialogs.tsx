import { useState } from "preact/hooks";
import { ApiError } from "../../../api.ts";
import { isRecord } from "../../../../base/record.ts";
import { Button } from "../../parts/button.tsx";
import { DataView } from "../../parts/data_view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TextField } from "../../parts/text_field.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { useStore } from "../../store/store_context.ts";

/** The dialog to add a reactor, which lasts until the master reads its configuration again. */
export function AddReactor({ onClose }: { onClose(): void }) {
  const store = useStore();
  const [match, setMatch] = useState("");
  const [sls, setSls] = useState("");
  const { busy, error, attempt } = useAttempt();
  const isComplete = match.trim() !== "" && sls.trim() !== "";
  const add = () =>
    attempt(async () => {
      const files = sls.trim().split(/\s+/);
      const found = await store.api.runner("reactor.add", { arg: [match.trim(), files] });
      if (isRecord(found) && found.status === true) {
        store.notices.add("ok", `Reactor added: ${match.trim()}`, "Temporary: lost on reload.");
        void store.automation.loadReactor();
        onClose();
        return;
      }
      const why = isRecord(found) ? String(found.comment) : String(found).trim().split("\n").at(-1)!;
      throw new ApiError("refused", 200, why.slice(0, 300), "Nothing was added.");
    });
  return (
    <Dialog title="New reactor" onClose={onClose} wide>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && !busy) void add();
        }}
      >
        <TextField label="Events" value={match} mono hint="my/deploy/*" onChange={setMatch} />
        <TextField label="SLS files" value={sls} mono hint="/srv/reactor/deploy.sls" onChange={setSls} />
        <p class="hint">
          Temporary: lost on reload. Add it to the option <code>reactor</code> to keep it.
        </p>
        <Problem error={error} />
        <div class="actions end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!isComplete || busy}>{busy ? "Adding…" : "Add"}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The dialog that shows the reactions to an event, without calling them. */
export function TryEvent({ onClose }: { onClose(): void }) {
  const store = useStore();
  const [tag, setTag] = useState("");
  const [data, setData] = useState("{}");
  const [result, setResult] = useState<{ value: unknown } | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const parsed = parsedData(data);
  const run = () =>
    attempt(async () => setResult({ value: await store.api.runner("reactor.test", { arg: [tag.trim(), parsed] }) }));
  return (
    <Dialog title="Reactions to an event" onClose={onClose} wide>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() !== "" && parsed !== undefined && !busy) void run();
        }}
      >
        <TextField label="Tag" value={tag} mono hint="salt/minion/web1/start" onChange={setTag} />
        <TextField label="Data" value={data} mono hint='{"id": "web1"}' onChange={setData} />
        <p class="hint">
          Dry run: nothing is executed, except functions called while rendering templates (<code>
            reactor.test
          </code>).
        </p>
        <Problem error={error} />
        {result !== undefined && (
          <div class="dialog-tree">
            <DataView value={result.value} label="Calls of this event" openTo={4} />
          </div>
        )}
        <div class="actions end">
          {parsed === undefined && <span class="hint grow">Data: expected JSON, such as {'{"id": "web1"}'}</span>}
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="primary" disabled={tag.trim() === "" || parsed === undefined || busy}>
            {busy ? "Trying…" : "Try"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function parsedData(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
