import { useState } from "preact/hooks";
import { beaconData, type BeaconEntry, readBeacons, templateOf } from "../../../beacon_entry.ts";
import { href } from "../../../route.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { FieldRow, TextField } from "../../parts/text_field.tsx";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { askMinion, tellMinion } from "../../store/ask_minion.ts";
import type { Store } from "../../store/store.ts";
import { useStore } from "../../store/store_context.ts";
import type { EntryFormProps, EntryKind, EntryListProps } from "./minion_entries.tsx";
import { EntryActions, EntryCells, EntryDialog, MinionEntries, useSuggestions } from "./minion_entries.tsx";

interface Found {
  enabled: boolean;
  entries: BeaconEntry[];
}

async function readFound(store: Store, id: string): Promise<Found> {
  const answer = await askMinion(store.api, id, { fun: "beacons.list", kwarg: { return_yaml: false } });
  return readBeacons(answer) ?? { enabled: true, entries: [] };
}

const BEACONS: EntryKind<BeaconEntry, Found> = {
  module: "beacons",
  switchLabel: "Beacons enabled",
  addLabel: "Add beacon",
  read: readFound,
  none: {
    icon: "events",
    title: "No beacons",
    text: "A beacon monitors the host and sends events to the master.",
  },
  actions: (id, { busy, isRead, tell }) => (
    <>
      <a class="button" href={href("events", "", { filter: `salt/beacon/${id}/*` })}>
        <Icon name="events" /> <span>Beacon events</span>
      </a>
      <Button
        disabled={busy || !isRead}
        title="Unsaved changes are lost when the minion restarts (beacons.save)"
        onClick={() => tell("beacons.save")}
      >
        Save for next start
      </Button>
    </>
  ),
  List: BeaconList,
  Form: BeaconForm,
  deletion: ({ name }, id) => ({
    title: `Delete the beacon ${name} of ${id}?`,
    text:
      "Unless the change is saved, the beacon returns after a restart of the minion. Beacons of the pillar cannot be deleted here.",
  }),
};

export function MinionBeaconsTab({ id }: { id: string }) {
  return <MinionEntries id={id} kind={BEACONS} />;
}

function BeaconList(
  { found: { entries }, busy, onTell, onEdit, onDelete }: EntryListProps<BeaconEntry, Found>,
) {
  return (
    <VirtualList
      class="beacons"
      label="Beacons"
      row={36}
      count={entries.length}
      keyOf={(index) => entries[index]!.name}
      onOpen={(index) => onEdit(entries[index]!)}
      header={
        <>
          <span role="columnheader">On</span>
          <span role="columnheader">Name</span>
          <span role="columnheader" class="wide">Module</span>
          <span role="columnheader">Interval</span>
          <span role="columnheader">Configuration</span>
          <span role="columnheader">
            <span class="visually-hidden">Actions</span>
          </span>
        </>
      }
      render={({ index }) => {
        const entry = entries[index]!;
        const { module, interval, text } = entry;
        return (
          <>
            <EntryCells
              entry={entry}
              busy={busy}
              functions={["beacons.enable_beacon", "beacons.disable_beacon"]}
              onTell={onTell}
            />
            <span role="gridcell" class="wide muted cut">{module}</span>
            <span role="gridcell" class="num muted cut">{interval === undefined ? "" : `${interval} s`}</span>
            <span role="gridcell" class="mono cut muted">{text}</span>
            <EntryActions entry={entry} busy={busy} onEdit={onEdit} onDelete={onDelete} />
          </>
        );
      }}
    />
  );
}

function BeaconForm(
  { id, entry, onDone, onDelete, onClose }: EntryFormProps<BeaconEntry>,
) {
  const store = useStore();
  const [name, setName] = useState(entry?.name ?? "");
  const [text, setText] = useState(() => entry === undefined ? "" : JSON.stringify(entry.data, null, 2));
  const [keep, setKeep] = useState(true);
  const available = useSuggestions(id, () => readAvailable(store, id));
  const { data, problem } = name.trim() === "" ? { data: undefined, problem: "A name is required" } : beaconData(text);
  const save = async () => {
    const fun = entry === undefined ? "beacons.add" : "beacons.modify";
    const done = await tellMinion(store.api, id, { fun, kwarg: { name: name.trim(), beacon_data: data } });
    store.notices.add("ok", done);
    if (keep) await tellMinion(store.api, id, { fun: "beacons.save" });
    onDone();
  };
  return (
    <EntryDialog
      title={entry === undefined ? `New beacon on ${id}` : `Beacon ${entry.name} on ${id}`}
      isNew={entry === undefined}
      problem={problem}
      save={save}
      onDelete={onDelete}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        disabled={entry !== undefined}
        hint="a beacon, or any name with beacon_module"
        list="beacon-modules"
        onChange={(typed) => {
          setName(typed);
          // Fills in an example, until the user has typed a configuration.
          if (text === "" || text === templateOf(name)) setText(typed === "" ? "" : templateOf(typed));
        }}
      />
      <datalist id="beacon-modules">
        {available.map((module) => <option key={module} value={module} />)}
      </datalist>
      <FieldRow label="Configuration">
        <textarea
          class="mono"
          rows={10}
          aria-label="Configuration as JSON"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </FieldRow>
      <p class="hint">
        JSON as in the minion's configuration: a list of mappings. <code>interval</code> is in seconds;{" "}
        <code>beacon_module</code> names the beacon module if it differs from the name.
      </p>
      <label class="check">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
        Keep after a restart (beacons.save)
      </label>
    </EntryDialog>
  );
}

/** The beacons that can run on a minion. */
async function readAvailable(store: Store, id: string): Promise<readonly string[]> {
  const found = await askMinion(store.api, id, { fun: "beacons.list_available", kwarg: { return_yaml: false } });
  return Array.isArray(found) ? found.map(String).slice(0, 200).sort() : [];
}
