import { useState } from "preact/hooks";
import { targetOf } from "../../preview.ts";
import { href } from "../../route.ts";
import { countText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { useAttempt } from "../parts/hooks.ts";
import { Problem } from "../parts/problem.tsx";
import { useStore } from "../store/store_context.ts";

type KeyChange = "reject" | "delete";

const CHANGES: Record<KeyChange, { label: string; done: string; effect: string }> = {
  reject: {
    label: "Reject keys",
    done: "Rejected",
    effect: "The master refuses these minions until their keys are accepted again.",
  },
  delete: {
    label: "Delete keys",
    done: "Deleted",
    effect: "The master forgets these keys. Minions that are running submit them again.",
  },
};

/** The most minions that the confirmation names. */
const NAMED = 8;

/** The actions on the selected minions. */
export function Selection(
  { ids, selected, onSelect }: {
    ids: readonly string[];
    selected: ReadonlySet<string>;
    onSelect(selected: ReadonlySet<string>): void;
  },
) {
  const store = useStore();
  const [change, setChange] = useState<KeyChange | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const chosen = [...selected];
  const listed = ids.reduce((count, id) => selected.has(id) ? count + 1 : count, 0);
  const ping = () =>
    attempt(async () => {
      const jid = await store.start({ ...targetOf(chosen), fun: "test.ping", arg: [] });
      if (jid !== undefined) location.hash = href("jobs", jid);
    });
  const apply = (what: KeyChange) =>
    attempt(async () => {
      await store.keys.change(what, "minions", chosen);
      store.notices.add("ok", `${CHANGES[what].done}: ${countText(chosen.length, "key")}`);
      onSelect(new Set());
      await store.fleet.load();
    });
  return (
    <>
      <div class="selection" role="region" aria-label="Selected minions">
        <b class="num">{countText(selected.size, "minion")} selected</b>
        {listed < selected.size && <span class="muted small">{selected.size - listed} of them not listed</span>}
        <span class="grow" />
        <a class="button primary" href={href("run", "", targetOf(chosen))}>
          <Icon name="run" /> <span>Run on these</span>
        </a>
        <Button icon="events" disabled={busy} onClick={ping}>Ping</Button>
        <CopyButton label="Copy ids" text={() => chosen.join("\n")} />
        <Button kind="danger" disabled={busy} onClick={() => setChange("reject")}>Reject keys</Button>
        <Button kind="danger" disabled={busy} onClick={() => setChange("delete")}>Delete keys</Button>
        <Button kind="quiet" onClick={() => onSelect(new Set())}>Clear</Button>
      </div>
      <Problem error={error} />
      {change !== undefined && (
        <Confirm
          title={`${CHANGES[change].label} of ${countText(chosen.length, "minion")}?`}
          action={CHANGES[change].label}
          onConfirm={() => apply(change)}
          onClose={() => setChange(undefined)}
        >
          <p>{CHANGES[change].effect}</p>
          <p class="mono">{chosen.slice(0, NAMED).join(", ")}</p>
          {chosen.length > NAMED && <p class="muted">and {chosen.length - NAMED} more</p>}
        </Confirm>
      )}
    </>
  );
}
