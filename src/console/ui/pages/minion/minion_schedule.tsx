import { useEffect, useState } from "preact/hooks";
import { isRecord } from "../../../../base/record.ts";
import { callText, type Kept, type ListedEntry, readSchedule, whenText } from "../../../schedule_entry.ts";
import { clockText } from "../../../text.ts";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { askMinion } from "../../store/ask_minion.ts";
import type { Store } from "../../store/store.ts";
import { useStore } from "../../store/store_context.ts";
import { EntryActions, EntryCells, type EntryKind, type EntryListProps, MinionEntries } from "./minion_entries.tsx";
import { ScheduleForm } from "./schedule_form.tsx";

interface Found {
  enabled: boolean;
  entries: ListedEntry[];
  kept: ReadonlyMap<string, Kept>;
}

async function readFound(store: Store, id: string): Promise<Found> {
  const ask = (kwarg: Record<string, unknown>) =>
    askMinion(store.api, id, { fun: "schedule.list", kwarg: { return_yaml: false, ...kwarg } });
  // The saved jobs are read with a separate call, which older minions do not support.
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

const SCHEDULE: EntryKind<ListedEntry, Found> = {
  module: "schedule",
  switchLabel: "Schedule enabled",
  addLabel: "Add job",
  read: readFound,
  none: {
    icon: "clock",
    title: "No scheduled jobs",
    text: "Scheduled jobs run on the minion, even without a master.",
  },
  List: ScheduleList,
  Form: ScheduleForm,
  deletion: ({ name }, id) => ({
    title: `Delete ${name} from the schedule of ${id}?`,
    text: "It will no longer run on schedule; a run in progress continues.",
  }),
};

export function MinionScheduleTab({ id }: { id: string }) {
  return <MinionEntries id={id} kind={SCHEDULE} />;
}

const KEPT: Record<Kept, { label: string; title: string }> = {
  saved: { label: "saved", title: "In the minion's _schedule.conf" },
  pillar: { label: "pillar", title: "In the pillar of the minion: change the pillar" },
  here: { label: "configuration", title: "In the minion's configuration, or added but not saved" },
};

function ScheduleList(
  { id, found: { entries, kept }, busy, onTell, onEdit, onDelete }: EntryListProps<ListedEntry, Found>,
) {
  const [window, setWindow] = useState<[number, number]>([0, 20]);
  const next = useNextTimes(id, entries, window);
  return (
    <VirtualList
      class="schedule"
      label="Scheduled jobs"
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
          <span role="columnheader">
            <span class="visually-hidden">Actions</span>
          </span>
        </>
      }
      render={({ index }) => {
        const entry = entries[index]!;
        const { name, enabled, fields } = entry;
        const { label, title } = KEPT[kept.get(name) ?? "here"];
        return (
          <>
            <EntryCells
              entry={entry}
              busy={busy}
              functions={["schedule.enable_job", "schedule.disable_job"]}
              onTell={onTell}
            />
            <span role="gridcell" class="mono cut">{callText(fields)}</span>
            <span role="gridcell" class="cut">{whenText(fields)}</span>
            <span role="gridcell" class="wide muted num cut">{enabled ? next.get(name) ?? "…" : "disabled"}</span>
            <span role="gridcell" class="wide muted cut" title={title}>{label}</span>
            <EntryActions
              entry={entry}
              busy={busy}
              onEdit={onEdit}
              onDelete={onDelete}
              more={[{ label: "Run now", onClick: () => void onTell("schedule.run_job", { name, force: true }) }]}
            />
          </>
        );
      }}
    />
  );
}

/** The most jobs whose next run is read: each question is a job on the minion. */
const ASKED = 20;

/** Reads the next run of the visible jobs, one after the other. */
function useNextTimes(
  id: string,
  entries: readonly ListedEntry[],
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
  // The time is that of the minion's clock, without a zone.
  return typeof time === "string" ? time.slice(0, 16).replace("T", " ") : "not known";
}
