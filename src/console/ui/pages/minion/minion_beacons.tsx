import { useEffect, useState } from "preact/hooks";
import { beaconData, type BeaconEntry, readBeacons, templateOf } from "../../../beacon_entry.ts";
import { href } from "../../../route.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Icon } from "../../parts/icon.tsx";
import { FormEnd } from "../../parts/form_end.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Row, TextField } from "../../parts/text_field.tsx";
import { Switch } from "../../parts/switch.tsx";
import { useAttempt } from "../../parts/use_attempt.ts";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { askMinion, tellMinion } from "../../store/ask_minion.ts";
import type { Store } from "../../store/store.ts";
import { useStore } from "../../store/store_context.ts";
import { RowAction } from "./minion_schedule.tsx";

interface Found {
  enabled: boolean;
  entries: BeaconEntry[];
}

async function readFound(store: Store, id: string): Promise<Found> {
  const answer = await askMinion(store.api, id, { fun: "beacons.list", kwarg: { return_yaml: false } });
  return readBeacons(answer) ?? { enabled: true, entries: [] };
}

/** What a minion watches on its host and tells the master of. */
export function MinionBeacons({ id }: { id: string }) {
  const store = useStore();
  const [found, setFound] = useState<Found | undefined>(undefined);
  const [editing, setEditing] = useState<BeaconEntry | "new" | undefined>(undefined);
  const [deleting, setDeleting] = useState<BeaconEntry | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const load = () => attempt(async () => setFound(await readFound(store, id)));
  useEffect(() => void load(), [id]);
  const tell = (fun: string, kwarg: Record<string, unknown> = {}) =>
    attempt(async () => {
      store.notices.add("ok", await tellMinion(store.api, id, { fun, kwarg }));
      if (fun !== "beacons.save") setFound(await readFound(store, id));
    });
  return (
    <>
      <div class="search-row">
        {found !== undefined && (
          <Switch
            on={found.enabled}
            disabled={busy}
            label="Beacons enabled"
            onChange={(on) => tell(on ? "beacons.enable" : "beacons.disable")}
          />
        )}
        <span class="grow" />
        <div class="actions">
          <a class="button" href={href("events", "", { filter: `salt/beacon/${id}/*` })}>
            <Icon name="events" /> <span>Their events</span>
          </a>
          <Button icon="again" disabled={busy} onClick={load}>{busy ? "Asking…" : "Refresh"}</Button>
          <Button
            disabled={busy || found === undefined}
            title="Changes are gone after a restart of the minion unless they are saved (beacons.save)"
            onClick={() => tell("beacons.save")}
          >
            Save for next start
          </Button>
          <Button kind="primary" disabled={found === undefined} onClick={() => setEditing("new")}>Add beacon</Button>
        </div>
      </div>
      <Problem error={error} retry={found === undefined ? load : undefined} />
      {found === undefined
        ? error === undefined && <Empty icon="clock" title="Asking the minion…" />
        : found.entries.length === 0
        ? (
          <Empty icon="events" title="No beacons">
            <p>A beacon looks at the minion's host again and again, and tells the master what it sees.</p>
          </Empty>
        )
        : <BeaconList entries={found.entries} busy={busy} onTell={tell} onEdit={setEditing} onDelete={setDeleting} />}
      {editing !== undefined && (
        <BeaconForm
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
          title={`Delete the beacon ${deleting.name} of ${id}?`}
          action="Delete"
          onConfirm={() => tell("beacons.delete", { name: deleting.name })}
          onClose={() => setDeleting(undefined)}
        >
          <p>It comes back when the minion is started again, unless the change is saved. One of the pillar stays.</p>
        </Confirm>
      )}
    </>
  );
}

function BeaconList(
  { entries, busy, onTell, onEdit, onDelete }: {
    entries: readonly BeaconEntry[];
    busy: boolean;
    onTell(fun: string, kwarg: Record<string, unknown>): void;
    onEdit(entry: BeaconEntry): void;
    onDelete(entry: BeaconEntry): void;
  },
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
          <span role="columnheader" />
        </>
      }
      render={({ index }) => {
        const entry = entries[index]!;
        const { name, module, enabled, interval, text } = entry;
        return (
          <>
            <span role="gridcell">
              <Switch
                on={enabled}
                disabled={busy}
                label={`${name} enabled`}
                hidden
                onChange={(on) => onTell(on ? "beacons.enable_beacon" : "beacons.disable_beacon", { name })}
              />
            </span>
            <span role="gridcell" class="cut" title={name}>{name}</span>
            <span role="gridcell" class="wide muted cut">{module}</span>
            <span role="gridcell" class="num muted cut">{interval === undefined ? "" : `${interval} s`}</span>
            <span role="gridcell" class="mono cut muted">{text}</span>
            <span role="gridcell" class="row-actions">
              <RowAction name={name} label="Edit" disabled={busy} onClick={() => onEdit(entry)} />
              <RowAction name={name} label="Delete" disabled={busy} onClick={() => onDelete(entry)} />
            </span>
          </>
        );
      }}
    />
  );
}

function BeaconForm(
  { id, entry, onDone, onDelete, onClose }: {
    id: string;
    entry: BeaconEntry | undefined;
    onDone(): void;
    onDelete(): void;
    onClose(): void;
  },
) {
  const store = useStore();
  const [name, setName] = useState(entry?.name ?? "");
  const [text, setText] = useState(() => entry === undefined ? "" : JSON.stringify(entry.data, null, 2));
  const [keep, setKeep] = useState(true);
  const available = useAvailable(id);
  const { busy, error, attempt } = useAttempt();
  const { data, problem } = name.trim() === "" ? { data: undefined, problem: "A name is required" } : beaconData(text);
  const save = () =>
    attempt(async () => {
      const fun = entry === undefined ? "beacons.add" : "beacons.modify";
      const done = await tellMinion(store.api, id, { fun, kwarg: { name: name.trim(), beacon_data: data } });
      store.notices.add("ok", done);
      if (keep) await tellMinion(store.api, id, { fun: "beacons.save" });
      onDone();
    });
  return (
    <Dialog
      title={entry === undefined ? `New beacon on ${id}` : `Beacon ${entry.name} on ${id}`}
      onClose={onClose}
      wide
    >
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === undefined && !busy) void save();
        }}
      >
        <TextField
          label="Name"
          value={name}
          disabled={entry !== undefined}
          hint="a beacon, or any name with beacon_module"
          list="beacon-modules"
          onChange={(typed) => {
            setName(typed);
            // Begins with an example until something was typed.
            if (text === "" || text === templateOf(name)) setText(typed === "" ? "" : templateOf(typed));
          }}
        />
        <datalist id="beacon-modules">
          {available.map((module) => <option key={module} value={module} />)}
        </datalist>
        <Row label="Configuration">
          <textarea
            class="mono"
            rows={10}
            aria-label="Configuration as JSON"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Row>
        <p class="hint">
          JSON as in the minion's configuration: a list of mappings. <code>interval</code> is in seconds;{" "}
          <code>beacon_module</code> names the beacon where the name is another.
        </p>
        <label class="check">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
          Keep the beacons when the minion is started again (beacons.save)
        </label>
        <Problem error={error} />
        <FormEnd problem={problem} busy={busy} label={entry === undefined ? "Add" : "Save"} onClose={onClose}>
          {entry !== undefined && <Button kind="danger" onClick={onDelete}>Delete</Button>}
        </FormEnd>
      </form>
    </Dialog>
  );
}

/** The beacons that can run on a minion. */
function useAvailable(id: string): readonly string[] {
  const store = useStore();
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    let over = false;
    askMinion(store.api, id, { fun: "beacons.list_available", kwarg: { return_yaml: false } }).then((found) => {
      if (!over && Array.isArray(found)) setNames(found.map(String).slice(0, 200).sort());
    }, () => {
      // Any name can be typed.
    });
    return () => {
      over = true;
    };
  }, [id]);
  return names;
}
