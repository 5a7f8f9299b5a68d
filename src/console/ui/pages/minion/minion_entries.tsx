import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Empty, Problem } from "../../parts/problem.tsx";
import { Switch } from "../../parts/switch.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { tellMinion } from "../../store/ask_minion.ts";
import type { Store } from "../../store/store.ts";
import { useStore } from "../../store/store_context.ts";

/** The last line of a form in a dialog: its problem, and its buttons. */
function FormEnd(
  { problem, busy, label, onClose, dismiss = "Cancel", children }: {
    /** Why the form cannot be sent yet; undefined if it can. */
    problem: string | undefined;
    busy: boolean;
    label: string;
    onClose(): void;
    dismiss?: string;
    /** Further buttons. */
    children?: ComponentChildren;
  },
) {
  return (
    <div class="actions end">
      {problem !== undefined && <span class="hint grow cut" role="status" title={problem}>{problem}</span>}
      {children}
      <Button onClick={onClose}>{dismiss}</Button>
      <Button type="submit" kind="primary" disabled={problem !== undefined || busy}>{busy ? "…" : label}</Button>
    </div>
  );
}

/** A named entry of a minion that can be switched on and off: a scheduled job or a beacon. */
interface Entry {
  name: string;
  enabled: boolean;
}

interface FoundEntries<One extends Entry> {
  /** True if the schedule, or the beacons, are enabled. */
  enabled: boolean;
  entries: One[];
}

/** Calls a function of the minion, shows its answer, and reads the entries again. */
type Tell = (fun: string, kwarg?: Record<string, unknown>) => Promise<void>;

export interface EntryListProps<One extends Entry, Found> {
  id: string;
  found: Found;
  busy: boolean;
  onTell: Tell;
  onEdit(entry: One): void;
  onDelete(entry: One): void;
}

export interface EntryFormProps<One extends Entry> {
  id: string;
  /** The edited entry; undefined for a new one. */
  entry: One | undefined;
  onDone(): void;
  onDelete(): void;
  onClose(): void;
}

export interface EntryKind<One extends Entry, Found extends FoundEntries<One>> {
  /** The execution module that changes entries, with `enable`, `disable` and `delete`. */
  module: string;
  switchLabel: string;
  addLabel: string;
  read(store: Store, id: string): Promise<Found>;
  /** The text that is shown if there are no entries. */
  none: { icon: string; title: string; text: string };
  /** Further actions above the list. */
  actions?(id: string, state: { busy: boolean; isRead: boolean; tell: Tell }): ComponentChildren;
  List(props: EntryListProps<One, Found>): ComponentChildren;
  Form(props: EntryFormProps<One>): ComponentChildren;
  /** The question before an entry is deleted. */
  deletion(entry: One, id: string): { title: string; text: string };
}

/** The entries of a minion: listed, switched, added, edited and deleted. */
export function MinionEntries<One extends Entry, Found extends FoundEntries<One>>(
  { id, kind }: { id: string; kind: EntryKind<One, Found> },
) {
  const store = useStore();
  const [found, setFound] = useState<Found | undefined>(undefined);
  const [editing, setEditing] = useState<One | "new" | undefined>(undefined);
  const [deleting, setDeleting] = useState<One | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const load = () => attempt(async () => setFound(await kind.read(store, id)));
  useEffect(() => void load(), [id]);
  const tell: Tell = (fun, kwarg = {}) =>
    attempt(async () => {
      store.notices.add("ok", await tellMinion(store.api, id, { fun, kwarg }));
      setFound(await kind.read(store, id));
    });
  return (
    <>
      <div class="search-row">
        {found !== undefined && (
          <Switch
            on={found.enabled}
            disabled={busy}
            label={kind.switchLabel}
            onChange={(on) => tell(`${kind.module}.${on ? "enable" : "disable"}`)}
          />
        )}
        <span class="grow" />
        <div class="actions">
          {kind.actions?.(id, { busy, isRead: found !== undefined, tell })}
          <Button icon="again" disabled={busy} onClick={load}>{busy ? "Asking…" : "Refresh"}</Button>
          <Button kind="primary" disabled={found === undefined} onClick={() => setEditing("new")}>
            {kind.addLabel}
          </Button>
        </div>
      </div>
      <Problem error={error} retry={found === undefined ? load : undefined} />
      {found === undefined
        ? error === undefined && <Empty icon="clock" title="Asking the minion…" />
        : found.entries.length === 0
        ? (
          <Empty icon={kind.none.icon} title={kind.none.title}>
            <p>{kind.none.text}</p>
          </Empty>
        )
        : <kind.List id={id} found={found} busy={busy} onTell={tell} onEdit={setEditing} onDelete={setDeleting} />}
      {editing !== undefined && (
        <kind.Form
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
          title={kind.deletion(deleting, id).title}
          action="Delete"
          onConfirm={() => tell(`${kind.module}.delete`, { name: deleting.name })}
          onClose={() => setDeleting(undefined)}
        >
          <p>{kind.deletion(deleting, id).text}</p>
        </Confirm>
      )}
    </>
  );
}

/** The first cells of a row: its switch and its name. */
export function EntryCells(
  { entry: { name, enabled }, busy, functions: [enable, disable], onTell }: {
    entry: Entry;
    busy: boolean;
    functions: [enable: string, disable: string];
    onTell: Tell;
  },
) {
  return (
    <>
      <span role="gridcell">
        <Switch
          on={enabled}
          disabled={busy}
          label={`${name} enabled`}
          hidden
          onChange={(on) => onTell(on ? enable : disable, { name })}
        />
      </span>
      <span role="gridcell" class="cut" title={name}>{name}</span>
    </>
  );
}

/** The last cell of a row, with the actions on the entry. */
export function EntryActions<One extends Entry>(
  { entry, busy, onEdit, onDelete, more = [] }: {
    entry: One;
    busy: boolean;
    onEdit(entry: One): void;
    onDelete(entry: One): void;
    more?: { label: string; onClick(): void }[];
  },
) {
  const actions = [
    ...more,
    { label: "Edit", onClick: () => onEdit(entry) },
    { label: "Delete", onClick: () => onDelete(entry) },
  ];
  return (
    <span role="gridcell" class="row-actions">
      {actions.map(({ label, onClick }) => (
        <button
          key={label}
          type="button"
          class="link"
          tabIndex={-1}
          disabled={busy}
          aria-label={`${label}: ${entry.name}`}
          onClick={onClick}
        >
          {label}
        </button>
      ))}
    </span>
  );
}

export function EntryDialog(
  { title, isNew, problem, save, onDelete, onClose, children }: {
    title: string;
    isNew: boolean;
    /** Why the entry cannot be saved yet; undefined if it can. */
    problem: string | undefined;
    save(): Promise<unknown>;
    onDelete(): void;
    onClose(): void;
    children: ComponentChildren;
  },
) {
  const { busy, error, attempt } = useAttempt();
  return (
    <Dialog title={title} onClose={onClose} wide>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === undefined && !busy) void attempt(save);
        }}
      >
        {children}
        <Problem error={error} />
        <FormEnd problem={problem} busy={busy} label={isNew ? "Add" : "Save"} onClose={onClose}>
          {!isNew && <Button kind="danger" onClick={onDelete}>Delete</Button>}
        </FormEnd>
      </form>
    </Dialog>
  );
}

/** The names that a field suggests; empty if they cannot be read, since any name can be typed. */
export function useSuggestions(id: string, read: () => Promise<readonly string[]>): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([]);
  useEffect(() => {
    let over = false;
    read().then((found) => {
      if (!over) setNames(found);
    }, () => {});
    return () => {
      over = true;
    };
  }, [id]);
  return names;
}
