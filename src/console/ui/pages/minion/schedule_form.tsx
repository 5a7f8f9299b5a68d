import { useState } from "preact/hooks";
import type { EntryTiming, ListedEntry, ScheduleDraft } from "../../../schedule_entry.ts";
import { argumentsOfDraft, draftOf, EMPTY_DRAFT } from "../../../schedule_entry.ts";
import { Segmented } from "../../parts/switch.tsx";
import { FieldRow, TextField } from "../../parts/text_field.tsx";
import { tellMinion } from "../../store/ask_minion.ts";
import { useStore } from "../../store/store_context.ts";
import { EntryDialog, type EntryFormProps, useSuggestions } from "./minion_entries.tsx";

const TIMINGS: { value: EntryTiming; label: string; example: string }[] = [
  { value: "every", label: "Every", example: "10" },
  { value: "cron", label: "Cron", example: "30 2 * * *" },
  { value: "when", label: "At", example: "Monday 5:00pm" },
  { value: "once", label: "Once", example: "2026-12-01T02:30:00" },
];

/** Adds a job to the schedule of a minion, or replaces one. */
export function ScheduleForm(
  { id, entry, onDone, onDelete, onClose }: EntryFormProps<ListedEntry>,
) {
  const store = useStore();
  const [draft, setDraft] = useState<ScheduleDraft>(() => entry === undefined ? EMPTY_DRAFT : draftOf(entry));
  const functions = useSuggestions(id, () => store.functions.list(id));
  const { kwarg, problem } = argumentsOfDraft(draft);
  const save = async () => {
    const fun = entry === undefined ? "schedule.add" : "schedule.modify";
    // Keeps the state of the job: a disabled job stays disabled.
    const more = entry === undefined ? {} : { enabled: entry.enabled };
    const name = draft.name.trim();
    store.notices.add("ok", await tellMinion(store.api, id, { fun, kwarg: { name, ...more, ...kwarg } }));
    onDone();
  };
  return (
    <EntryDialog
      title={entry === undefined ? `New scheduled job on ${id}` : `${entry.name} on ${id}`}
      isNew={entry === undefined}
      problem={problem}
      save={save}
      onDelete={onDelete}
      onClose={onClose}
    >
      <DraftFields
        draft={draft}
        isNew={entry === undefined}
        functions={functions}
        onSet={(change) => setDraft({ ...draft, ...change })}
      />
    </EntryDialog>
  );
}

interface DraftProps {
  draft: ScheduleDraft;
  onSet(change: Partial<ScheduleDraft>): void;
}

/** The fields of a scheduled job: function, time, and the rest. */
function DraftFields(
  { draft, isNew, functions, onSet: set }: DraftProps & { isNew: boolean; functions: readonly string[] },
) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        disabled={!isNew}
        onChange={(name) => set({ name })}
      />
      <TextField
        label="Function"
        value={draft.fun}
        mono
        list="schedule-functions"
        onChange={(fun) => set({ fun: fun.trim() })}
      />
      <datalist id="schedule-functions">
        {functions.map((name) => <option key={name} value={name} />)}
      </datalist>
      <TextField
        label="Arguments"
        value={draft.args}
        mono
        hint='["web"]'
        onChange={(args) => set({ args })}
      />
      <TextField
        label="Keyword arguments"
        value={draft.kwargs}
        mono
        hint='{"test": true}'
        onChange={(kwargs) => set({ kwargs })}
      />
      <TimingRow draft={draft} onSet={set} />
      <TextField
        label="Splay"
        value={draft.splay}
        mono
        hint="seconds, optional"
        onChange={(splay) => set({ splay })}
      />
      <TextField
        label="Max. concurrent runs"
        value={draft.maxrunning}
        mono
        onChange={(maxrunning) => set({ maxrunning })}
      />
      <TextField
        label="Other fields"
        value={draft.others}
        mono
        hint='{"return_job": false}'
        onChange={(others) => set({ others })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.persist}
          onChange={(event) => set({ persist: event.currentTarget.checked })}
        />
        Keep after a restart (_schedule.conf)
      </label>
    </>
  );
}

function TimingRow({ draft, onSet: set }: DraftProps) {
  return (
    <FieldRow label="When">
      <div class="timing">
        <Segmented
          legend="When it runs"
          name="timing"
          options={TIMINGS}
          value={draft.timing}
          onChange={(timing) => set({ timing, time: "" })}
        />
        <input
          type="text"
          class="mono"
          aria-label={draft.timing === "every" ? "How often" : "Time"}
          placeholder={TIMINGS.find(({ value }) => value === draft.timing)?.example}
          value={draft.time}
          onInput={(event) => set({ time: event.currentTarget.value })}
        />
        {draft.timing === "every" && (
          <select
            aria-label="Unit"
            value={draft.unit}
            onChange={(event) => set({ unit: event.currentTarget.value as ScheduleDraft["unit"] })}
          >
            {["seconds", "minutes", "hours", "days"].map((unit) => <option key={unit} value={unit}>{unit}</option>)}
          </select>
        )}
      </div>
    </FieldRow>
  );
}
