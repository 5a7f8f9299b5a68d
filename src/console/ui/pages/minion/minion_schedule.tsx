import { useEffect, useState } from "preact/hooks";
import { isRecord } from "../../../../record.ts";
import { callText, type Kept, readSchedule, type ScheduleEntry, whenText } from "../../../schedule_entry.ts";
import { clockText } from "../../../text.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Switch } from "../../parts/switch.tsx";
import { useAttempt } from "../../parts/use_attempt.ts";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { askMinion, tellMinion } from "../../store/ask_minion.ts";
import type { Store } from "../../store/store.ts";
import { useStore } from "../../store/store_context.ts";
import { ScheduleForm } from "./schedule_form.tsx";

interface Found {
  enabled: boolean;
  entries: ScheduleEntry[];
  kept: ReadonlyMap<string, Kept>;
}

async function readFound(store: Store, id: string): Promise<Found> {
  const ask = (kwarg: Record<string, unknown>) =>
    askMinion(store.api, id, { fun: "schedule.list", kwarg: { return_yaml: false, ...kwarg } });
  // Which jobs are written down is a question of its own, which older minions do not know.
  const [all, saved, pillar] = await Promise.all([
    ask({}),
    ask({ offline: true }).catch(() => undefined),
    ask({ where: "pillar" }).catch(() => undefined),
  ]);
  const { enabled, entries } = readSchedule(all) ?? { enabled: true, entries: [] };
  const kept = new Map<string, Kept>(entries.map(({ name }) => [name, "here"]));
  for (const { name } of readSchedule(saved)?.entries ?? []) kept.set(name, "saved");
  for (const { name } of readSchedule(pillar)?.entries ?? []) kept.set(name, "pillar");
  return { enabled, entries, kept };
}

/** The jobs that a minion runs by time. */
export function MinionSchedule({ id }: { id: string }) {
  const store = useStore();
  const [found, setFound] = useState<Found | undefined>(undefined);
  const [editing, setEditing] = useState<ScheduleEntry | "new" | undefined>(undefined);
  const [deleting, setDeleting] = useState<ScheduleEntry | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const load = () => attempt(async () => setFound(await readFound(store, id)));
  useEffect(() => void load(), [id]);

  /** Changes something, then reads the schedule again. */
  const tell = (fun: string, kwarg: Record<string, unknown> = {}) =>
    attempt(async () => {
      store.notices.add("ok", await tellMinion(store.api, id, { fun, kwarg }));
      setFound(await readFound(store, id));
    });
  return (
    <>
      <div class="search-row">
        {found !== undefined && (
          <Switch
            on={found.enabled}
            disabled={busy}
            label="Schedule enabled"
            onChange={(on) => tell(on ? "schedule.enable" : "schedule.disable")}
          />
        )}
        <span class="grow" />
        <div class="actions">
          <Button icon="again" disabled={busy} onClick={load}>{busy ? "Asking…" : "Refresh"}</Button>
          <Button kind="primary" disabled={found === undefined} onClick={() => setEditing("new")}>Add job</Button>
        </div>
      </div>
      <Problem error={error} retry={found === undefined ? load : undefined} />
      {found === undefined
        ? error === undefined && <Empty icon="clock" title="Asking the minion…" />
        : found.entries.length === 0
        ? (
          <Empty icon="clock" title="No jobs by time">
            <p>
              A schedule runs functions on the minion by itself, also while it has no master.
            </p>
          </Empty>
        )
        : <ScheduleList id={id} found={found} busy={busy} onTell={tell} onEdit={setEditing} onDelete={setDeleting} />}
      {editing !== undefined && (
        <ScheduleForm
          id={id}
          entry={editing === "new" ? undefined : editing}
          onDone={() => {
            setEditing(undefined);
            void load();
          }}
          onDelete={() => {
            if (editing !== "new") setDeleting(editing);
            setEditing(undefined);
          }}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting !== undefined && (
        <Confirm
          title={`Delete ${deleting.name} from the schedule of ${id}?`}
          action="Delete"
          onConfirm={() => tell("schedule.delete", { name: deleting.name })}
          onClose={() => setDeleting(undefined)}
        >
          <p>The minion does not run it by itself any more. What runs now goes on.</p>
        </Confirm>
      )}
    </>
  );
}

const KEPT: Record<Kept, { label: string; title: string }> = {
  saved: { label: "saved", title: "In the minion's _schedule.conf" },
  pillar: { label: "pillar", title: "In the pillar of the minion: change it there" },
  here: { label: "configuration", title: "In the minion's configuration, or added without being saved" },
};

function ScheduleList(
  { id, found: { entries, kept }, busy, onTell, onEdit, onDelete }: {
    id: string;
    found: Found;
    busy: boolean;
    onTell(fun: string, kwarg: Record<string, unknown>): void;
    onEdit(entry: ScheduleEntry): void;
    onDelete(entry: ScheduleEntry): void;
  },
) {
  const [window, setWindow] = useState<[number, number]>([0, 20]);
  const next = useNextTimes(id, entries, window);
  return (
    <VirtualList
      class="schedule"
      label="Jobs by time"
      row={36}
      count={entries.length}
      keyOf={(index) => entries[index]!.name}
      onOpen={(index) => onEdit(entries[index]!)}
      onWindow={(first, end) => setWindow([first, end])}
      header={
        <>
          <span role="columnheader">On</span>
          <span role="columnheader">Name</span>
          <span role="columnheader">Runs</span>
          <span role="columnheader">When</span>
          <span role="columnheader" class="wide">Next run</span>
          <span role="columnheader" class="wide">Kept in</span>
          <span role="columnheader" />
        </>
      }
      render={({ index }) => {
        const entry = entries[index]!;
        const { name, enabled, fields } = entry;
        const { label, title } = KEPT[kept.get(name) ?? "here"];
        return (
          <>
            <span role="gridcell">
              <Switch
                on={enabled}
                disabled={busy}
                label={`${name} enabled`}
                hidden
                onChange={(on) => onTell(on ? "schedule.enable_job" : "schedule.disable_job", { name })}
              />
            </span>
            <span role="gridcell" class="cut" title={name}>{name}</span>
            <span role="gridcell" class="mono cut">{callText(fields)}</span>
            <span role="gridcell" class="cut">{whenText(fields)}</span>
            <span role="gridcell" class="wide muted num cut">{enabled ? next.get(name) ?? "…" : "disabled"}</span>
            <span role="gridcell" class="wide muted cut" title={title}>{label}</span>
            <span role="gridcell" class="row-actions">
              <RowAction
                name={name}
                label="Run now"
                disabled={busy}
                onClick={() => onTell("schedule.run_job", { name, force: true })}
              />
              <RowAction name={name} label="Edit" disabled={busy} onClick={() => onEdit(entry)} />
              <RowAction name={name} label="Delete" disabled={busy} onClick={() => onDelete(entry)} />
            </span>
          </>
        );
      }}
    />
  );
}

export function RowAction(
  { name, label, disabled, onClick }: { name: string; label: string; disabled: boolean; onClick(): void },
) {
  return (
    <button
      type="button"
      class="link"
      tabIndex={-1}
      disabled={disabled}
      aria-label={`${label}: ${name}`}
      onClick={onClick}
    >
      {label}
    </button>
  );
}

/** The most jobs whose next run is asked for: each is a job on the minion. */
const ASKED = 20;

/** When the visible jobs run next; asked for one after the other. */
function useNextTimes(
  id: string,
  entries: readonly ScheduleEntry[],
  [first, end]: [number, number],
): ReadonlyMap<string, string> {
  const store = useStore();
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    let over = false;
    void (async () => {
      const times = new Map<string, string>();
      for (const { name, enabled } of entries.slice(first, Math.min(end, first + ASKED))) {
        if (!enabled) continue;
        const answer = await askMinion(store.api, id, { fun: "schedule.show_next_fire_time", kwarg: { name } })
          .catch(() => undefined);
        if (over) return;
        times.set(name, nextText(answer, store.now()));
        setKnown(new Map(times));
      }
    })();
    return () => {
      over = true;
    };
  }, [id, entries, first, end]);
  return known;
}

function nextText(answer: unknown, nowMs: number): string {
  const time = isRecord(answer) ? answer.next_fire_time : undefined;
  if (typeof time === "number") return clockText(time * 1000, nowMs);
  // By the clock of the minion, without a zone.
  return typeof time === "string" ? time.slice(0, 16).replace("T", " ") : "not known";
}
