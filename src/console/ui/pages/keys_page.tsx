import { useEffect, useMemo, useState } from "preact/hooks";
import type { KeyDirectory } from "../../../model/loader/wheel.ts";
import { compareIds, KEY_LISTS, seenText } from "../../fleet.ts";
import { href } from "../../route.ts";
import { hostText } from "../../key_details.ts";
import { agoText, clockText, countText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Empty, Problem } from "../parts/problem.tsx";
import { Icon } from "../parts/icon.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { useAddress } from "../parts/hooks.ts";
import { VirtualList } from "../parts/virtual_list.tsx";
import type { KeyDecisionAction, KeysStore } from "../store/keys_store.ts";
import { useStore } from "../store/store_context.ts";

const STATES: Record<KeyDirectory, { label: string; icon: string; tone: string; none: string }> = {
  minions_pre: {
    label: "Unaccepted",
    icon: "clock",
    tone: "warn",
    none: "No pending keys. New minions that point to this master appear here.",
  },
  minions: { label: "Accepted", icon: "ok", tone: "ok", none: "No accepted keys yet. Check Unaccepted." },
  minions_rejected: { label: "Rejected", icon: "bad", tone: "bad", none: "No rejected keys." },
  minions_denied: {
    label: "Denied",
    icon: "off",
    tone: "bad",
    none: "No denied keys. A key is denied if the same minion id already has another accepted key.",
  },
};

const HISTORY = "history";
const TABS = [...KEY_LISTS, HISTORY] as const;

/** Keys that need a decision come first. */
const firstTab = ({ pending, denied }: { pending: number; denied: number }): KeyDirectory =>
  pending > 0 ? "minions_pre" : denied > 0 ? "minions_denied" : "minions";

const MAY_NOT_LIST =
  "This account may not list keys: it needs key.list_all in its @wheel permissions (external_auth of the master).";

interface ActionWords {
  label: string;
  done: string;
  of: KeyDirectory[];
  /** The text about the effect on a number of keys. */
  effect(state: KeyDirectory, count: number): string;
}

const ACTIONS: Record<KeyDecisionAction, ActionWords> = {
  accept: {
    label: "Accept",
    done: "Accepted",
    of: ["minions_pre", "minions_rejected", "minions_denied"],
    effect: (_state, count) =>
      `The master will trust the ${
        count === 1 ? "holder of this key, and send it" : "holders of these keys, and send them"
      } jobs, files and pillar.`,
  },
  reject: {
    label: "Reject",
    done: "Rejected",
    of: ["minions_pre", "minions"],
    effect: (state, count) => {
      const [minions, them, keys] = count === 1
        ? ["the minion", "it", "its key is"]
        : ["the minions", "them", "their keys are"];
      return state === "minions"
        ? `The master disconnects ${minions}, and refuses ${them} until ${keys} accepted.`
        : `The master refuses ${minions} until ${keys} accepted.`;
    },
  },
  delete: {
    label: "Delete",
    done: "Deleted",
    of: [...KEY_LISTS],
    effect: (state, count) =>
      count === 1
        ? `The master ${state === "minions" ? "disconnects the minion and " : ""}forgets the key. ` +
          "A minion that is running submits it again."
        : `The master ${state === "minions" ? "disconnects the minions and " : ""}forgets the keys. ` +
          "Minions that are running submit them again.",
  },
};

/** The actions that this account may use on keys in a state, according to its session. */
function actionsOn(state: KeyDirectory, keys: KeysStore): KeyDecisionAction[] {
  return (Object.keys(ACTIONS) as KeyDecisionAction[]).filter((action) =>
    ACTIONS[action].of.includes(state) && keys.may(action)
  );
}

/** A change of keys that waits for the user's confirmation. */
interface Question {
  action: KeyDecisionAction;
  ids: string[];
}

/** The keys of minions by state, with their fingerprints; accepts, rejects and deletes them. */
export function KeysPage() {
  const store = useStore();
  const beat = store.fleet.beat.value;
  const { query } = store.route.value;
  const [tab, setTab] = useState<KeyDirectory | typeof HISTORY>(() =>
    TABS.find((one) => one === query.state) ?? firstTab(store.fleet.minions.counts)
  );
  const state = tab === HISTORY ? "minions" : tab;
  const [filter, setFilter] = useState(query.search ?? "");
  useAddress({ state: tab, search: filter });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const fingerprints = useFingerprints(state);
  const ids = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    const all = [...store.fleet.minions.keys(state)].sort(compareIds);
    if (wanted === "") return all;
    return all.filter((id) => id.toLowerCase().includes(wanted) || store.keys.fingerprint(state, id).includes(wanted));
  }, [state, beat, filter, fingerprints]);

  const change = async ({ action, ids }: Question) => {
    setBusy(true);
    try {
      await store.keys.change(action, state, ids);
      store.notices.add("ok", `${ACTIONS[action].done}: ${ids.length === 1 ? ids[0] : countText(ids.length, "key")}`);
      setSelected(new Set());
      await store.fleet.load();
    } catch (error) {
      store.notices.fail(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="page fill">
      <KeysHead />
      <Problem error={store.fleet.error.value} retry={() => store.fleet.load()} />
      <Problem error={store.keys.error.value} retry={() => store.keys.loadFingerprints()} />
      <KeyTabs
        state={tab}
        onState={(one) => {
          setTab(one);
          setSelected(new Set());
        }}
      />
      <div class="search-row">
        <SearchField label="Search keys" placeholder="Minion or fingerprint" value={filter} onChange={setFilter} />
        {tab !== HISTORY && ids.length > 0 && (
          <SelectionActions
            state={state}
            ids={ids}
            selected={ids.filter((id) => selected.has(id))}
            busy={busy}
            onSelect={(some) => setSelected(new Set(some))}
            onAct={setQuestion}
          />
        )}
      </div>
      {tab === HISTORY && <KeyHistory filter={filter} />}
      {state === "minions_pre" && ids.length > 0 && (
        <p class="hint">
          Compare fingerprints before you accept: run <code>salt-call --local key.finger</code> on the minion.
        </p>
      )}
      {state === "minions_denied" && ids.length > 0 && (
        <p class="state warning bad">
          <Icon name="warn" size={14} />
          <span>
            Another host uses the id of an accepted minion: a reinstalled host, or an impostor. Find the host at the
            address first. Give it another id, or accept its key to replace the accepted one.
          </span>
        </p>
      )}
      {tab === HISTORY ? null : ids.length === 0 ? <NoKeys state={state} filtered={filter !== ""} /> : (
        <KeyList
          state={state}
          ids={ids}
          selected={selected}
          busy={busy}
          onSelect={setSelected}
          onAct={setQuestion}
        />
      )}
      {question !== undefined && (
        <ConfirmChange
          state={state}
          question={question}
          onConfirm={() => change(question)}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </main>
  );
}

/** Reads the fingerprints again when the number of keys changes. @returns a value that changes with them */
function useFingerprints(state: KeyDirectory): unknown {
  const { fleet, keys } = useStore();
  const keyCount = KEY_LISTS.reduce((sum, one) => sum + fleet.minions.keys(one).size, 0);
  const { value: known } = fleet.keysKnown;
  useEffect(() => {
    // An account that may not list keys sees only the error of the list.
    if (!known) return;
    void keys.loadFingerprints();
    void keys.loadDetails();
  }, [keyCount, known]);
  return keys.fingerprints.value[state];
}

function KeysHead() {
  const store = useStore();
  const refresh = () => {
    void store.fleet.load();
    void store.keys.loadFingerprints();
    void store.keys.loadDetails();
    if (store.keys.history.value !== undefined) void store.keys.loadHistory();
  };
  return (
    <header class="page-head">
      <h1>Keys</h1>
      <Button icon="again" onClick={refresh}>Refresh</Button>
    </header>
  );
}

/** True if the keys in a state are known to the account; accepted ones may be known from `manage.status`. */
const isKnown = (fleet: ReturnType<typeof useStore>["fleet"], state: KeyDirectory) =>
  fleet.keysKnown.value || (state === "minions" && fleet.known.value);

function KeyTabs(
  { state, onState }: { state: KeyDirectory | typeof HISTORY; onState(state: KeyDirectory | typeof HISTORY): void },
) {
  const { fleet } = useStore();
  fleet.beat.value;
  return (
    <div class="tabs" role="tablist" aria-label="State of the keys">
      {KEY_LISTS.map((one) => {
        const { label, icon, tone } = STATES[one];
        const count = fleet.minions.keys(one).size;
        return (
          <button key={one} type="button" role="tab" aria-selected={state === one} onClick={() => onState(one)}>
            <span class={`state ${count > 0 ? tone : "idle"}`}>
              <Icon name={icon} size={14} />
            </span>
            {label} <b class="num">{isKnown(fleet, one) ? count.toLocaleString("en") : "?"}</b>
          </button>
        );
      })}
      <button type="button" role="tab" aria-selected={state === HISTORY} onClick={() => onState(HISTORY)}>
        <Icon name="clock" size={14} /> History
      </button>
    </div>
  );
}

/** Selects all keys that are listed, and acts on the selected ones. */
function SelectionActions(
  { state, ids, selected, busy, onSelect, onAct }: {
    state: KeyDirectory;
    ids: readonly string[];
    selected: string[];
    busy: boolean;
    onSelect(ids: readonly string[]): void;
    onAct(question: Question): void;
  },
) {
  const { keys } = useStore();
  const all = selected.length === ids.length;
  return (
    <div class="actions">
      <label class="check">
        <input
          type="checkbox"
          checked={all}
          ref={(element) => {
            if (element !== null) element.indeterminate = selected.length > 0 && !all;
          }}
          onChange={() => onSelect(all ? [] : ids)}
        />
        {selected.length === 0 ? "Select all" : `${selected.length.toLocaleString("en")} selected`}
      </label>
      {actionsOn(state, keys).map((action) => (
        <Button
          key={action}
          kind={action === "accept" ? "primary" : "plain"}
          disabled={selected.length === 0 || busy}
          onClick={() => onAct({ action, ids: selected })}
        >
          {ACTIONS[action].label}
        </Button>
      ))}
    </div>
  );
}

function NoKeys({ state, filtered }: { state: KeyDirectory; filtered: boolean }) {
  const { fleet } = useStore();
  const [title, text] = !isKnown(fleet, state)
    ? ["Unknown", MAY_NOT_LIST]
    : filtered
    ? ["No keys match", "Search for a part of the minion id or of the fingerprint."]
    : ["No keys", STATES[state].none];
  return (
    <Empty icon="keys" title={title!}>
      <p>{text}</p>
    </Empty>
  );
}

interface KeyListProps {
  state: KeyDirectory;
  ids: readonly string[];
  selected: ReadonlySet<string>;
  busy: boolean;
  onSelect(selected: ReadonlySet<string>): void;
  onAct(question: Question): void;
}

function KeyList({ state, ids, selected, busy, onSelect, onAct }: KeyListProps) {
  const { keys } = useStore();
  // Subscribes, so that the row is drawn again when fingerprints were read.
  keys.fingerprints.value;
  keys.details.value;
  const isAccepted = state === "minions";
  const actions = actionsOn(state, keys);
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  return (
    <VirtualList
      class="keys"
      label={`Keys: ${STATES[state].label}`}
      count={ids.length}
      keyOf={(index) => ids[index]!}
      onChoose={(index) => toggle(ids[index]!)}
      header={
        <>
          <span role="columnheader" aria-label="Selected" />
          <span role="columnheader">Minion</span>
          <span role="columnheader" class="finger">Fingerprint</span>
          <span role="columnheader" class="wide">{isAccepted ? "" : "Address"}</span>
          <span role="columnheader" class="wide">{SINCE[state]}</span>
          <span role="columnheader" aria-label="Actions" />
        </>
      }
      render={({ index }) => {
        const id = ids[index]!;
        const fingerprint = keys.fingerprint(state, id);
        return (
          <>
            <span role="gridcell">
              <input
                type="checkbox"
                aria-label={`Select ${id}`}
                tabIndex={-1}
                checked={selected.has(id)}
                onChange={() => toggle(id)}
              />
            </span>
            <span role="gridcell" class="mono cut">
              {state === "minions" ? <a href={href("minions", id)} tabIndex={-1}>{id}</a> : id}
            </span>
            <span role="gridcell" class="mono cut muted finger" title={fingerprint}>{fingerprint || "…"}</span>
            <span role="gridcell" class="mono cut wide">{keys.detailsOf(state, id)?.address}</span>
            <KeyAge state={state} id={id} />
            <span role="gridcell" class="row-actions">
              {actions.map((action) => (
                <button
                  key={action}
                  type="button"
                  class="link"
                  tabIndex={-1}
                  disabled={busy}
                  aria-label={`${ACTIONS[action].label} ${id}`}
                  onClick={() => onAct({ action, ids: [id] })}
                >
                  {ACTIONS[action].label}
                </button>
              ))}
            </span>
          </>
        );
      }}
    />
  );
}

/** The label of a key's age, by state. */
const SINCE: Record<KeyDirectory, string> = {
  minions_pre: "Waiting for",
  minions: "Accepted",
  minions_rejected: "Rejected",
  minions_denied: "Denied",
};

/** How long a key has had its state, if the master reports it. */
function KeyAge({ state, id }: { state: KeyDirectory; id: string }) {
  const { keys, clock } = useStore();
  const sinceMs = keys.detailsOf(state, id)?.sinceMs;
  const text = sinceMs === undefined ? "" : agoText(clock.value - sinceMs);
  return (
    <span
      role="gridcell"
      class="muted num cut wide"
      title={sinceMs === undefined ? undefined : clockText(sinceMs, clock.value)}
    >
      {text === "" || text === "now" || state === "minions_pre" ? text : `${text} ago`}
    </span>
  );
}

/** Who accepted, rejected and deleted keys, and which keys were replaced. */
function KeyHistory({ filter }: { filter: string }) {
  const { keys, now } = useStore();
  const history = keys.history.value;
  useEffect(() => void keys.loadHistory(), []);
  const wanted = filter.trim().toLowerCase();
  const shown = useMemo(
    () =>
      (history ?? []).filter((one) => Object.values(one).some((value) => String(value).toLowerCase().includes(wanted))),
    [history, wanted],
  );
  if (keys.historyError.value !== undefined) {
    return <Problem error={keys.historyError.value} retry={() => keys.loadHistory()} />;
  }
  if (history === undefined) return <Empty icon="clock" title="Loading the history…" />;
  if (shown.length === 0) {
    return <Empty icon="keys" title={wanted === "" ? "No decisions on keys yet" : "No matches"} />;
  }
  return (
    <VirtualList
      class="key-history"
      label="History of keys"
      count={shown.length}
      keyOf={(index) => String(index)}
      header={
        <>
          <span role="columnheader">Time</span>
          <span role="columnheader">Minion</span>
          <span role="columnheader">Decision</span>
          <span role="columnheader" class="wide">By</span>
          <span role="columnheader" class="wide">Fingerprint</span>
        </>
      }
      render={({ index }) => {
        const { atMs, act, id, user, via, from, finger, replaced } = shown[index]!;
        return (
          <>
            <span role="gridcell" class="num muted cut">{atMs === undefined ? "" : clockText(atMs, now())}</span>
            <span role="gridcell" class="mono cut">{id}</span>
            <span role="gridcell" class={`cut ${replaced === "" ? "" : "bad"}`} title={replaced}>
              {act}
              {replaced !== "" && `, replaced ${replaced}`}
            </span>
            <span role="gridcell" class="cut muted wide">
              {user} ({via}){from === "" ? "" : ` from ${from}`}
            </span>
            <span role="gridcell" class="mono cut muted finger wide" title={finger}>{finger}</span>
          </>
        );
      }}
    />
  );
}

/** The most keys that the confirmation names. */
const NAMED_KEYS = 8;

function ConfirmChange(
  { state, question: { action, ids }, onConfirm, onClose }: {
    state: KeyDirectory;
    question: Question;
    onConfirm(): void;
    onClose(): void;
  },
) {
  const { label, effect } = ACTIONS[action];
  const store = useStore();
  const { keys, fleet } = store;
  const single = ids.length === 1 ? keys.fingerprint(state, ids[0]!) : "";
  const replaced = action === "accept" ? ids.filter((id) => fleet.minions.keys("minions").has(id)) : [];
  const up = state === "minions" ? ids.filter((id) => fleet.minions.presence(id) === "up") : [];
  const named = [...replaced, ...ids.filter((id) => !replaced.includes(id))].slice(0, NAMED_KEYS);
  return (
    <Confirm
      title={`${label} ${ids.length === 1 ? `the key of ${ids[0]}` : countText(ids.length, "key")}?`}
      action={replaced.length > 0 ? `${label} and replace` : label}
      kind={action === "accept" && replaced.length === 0 ? "primary" : "danger"}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {replaced.length > 0 && (
        <p class="state warning bad">
          <Icon name="warn" size={14} />
          <span>
            {replaced.length === 1 ? `${replaced[0]} has` : `${countText(replaced.length, "minion")} of these have`}
            {" "}
            an accepted key already. Accepting the denied one replaces it and disconnects that host.
          </span>
        </p>
      )}
      <p>{effect(state, ids.length)}</p>
      {up.length > 0 && (
        <p class="state warning bad">
          <Icon name="warn" size={14} />
          <span>{up.length === 1 ? `${up[0]} is` : `${countText(up.length, "minion")} of these are`} up now.</span>
        </p>
      )}
      <ul class="finger-list">
        {named.map((id) => (
          <li key={id}>
            <b class="mono">{id}</b> <code>{keys.fingerprint(state, id)}</code>
            {keys.detailsOf(state, id)?.address !== undefined && (
              <span class="muted">from {keys.detailsOf(state, id)!.address}</span>
            )}
            {replaced.includes(id) && <Replaced id={id} />}
          </li>
        ))}
      </ul>
      {ids.length > NAMED_KEYS && <p class="muted">and {ids.length - NAMED_KEYS} more</p>}
      {single !== "" && <CopyButton label="Copy fingerprint" text={() => single} />}
    </Confirm>
  );
}

/** The accepted key that would be replaced, and whether its host is connected. */
function Replaced({ id }: { id: string }) {
  const { keys, fleet: { minions, beat }, clock } = useStore();
  beat.value;
  const host = hostText({
    presence: minions.presence(id),
    seen: seenText(minions, id, clock.value),
    details: keys.detailsOf("minions", id),
    nowMs: clock.value,
  });
  return (
    <p class="muted">
      replaces <code>{keys.fingerprint("minions", id) || "the accepted key"}</code> ({host})
    </p>
  );
}
