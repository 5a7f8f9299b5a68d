import { useEffect, useMemo, useState } from "preact/hooks";
import { compareIds, KEY_STATES, type KeyState } from "../../fleet.ts";
import { href } from "../../route.ts";
import { countText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import type { KeyAction } from "../store/keys_store.ts";
import { useStore } from "../store/store_context.ts";

const LABELS: Record<KeyState, { label: string; icon: string; tone: string; none: string }> = {
  minions_pre: {
    label: "To accept",
    icon: "clock",
    tone: "warn",
    none: "No key waits to be accepted. A minion that is started with master: set to this master appears here at once.",
  },
  minions: { label: "Accepted", icon: "ok", tone: "ok", none: "No key is accepted yet. Look under “To accept”." },
  minions_rejected: { label: "Rejected", icon: "bad", tone: "bad", none: "No key was rejected." },
  minions_denied: {
    label: "Denied",
    icon: "off",
    tone: "bad",
    none:
      "No key was denied. That happens when a minion comes with another key than the one that is accepted for its id.",
  },
};

const UNTOLD =
  "This account may not list the keys: that is key.list_all among its @wheel in the master's external_auth.";

const ACTIONS: Record<KeyAction, { label: string; done: string; of: KeyState[] }> = {
  accept: {
    label: "Accept",
    done: "Accepted",
    of: ["minions_pre", "minions_rejected", "minions_denied"],
  },
  reject: {
    label: "Reject",
    done: "Rejected",
    of: ["minions_pre", "minions"],
  },
  delete: { label: "Delete", done: "Deleted", of: [...KEY_STATES] },
};

/** The keys of the minions, by where they are, with their fingerprints and what can be done with them. */
export function KeysPage() {
  const store = useStore();
  const beat = store.fleet.beat.value;
  const [state, setState] = useState<KeyState>(() =>
    store.fleet.minions.counts.pending > 0 ? "minions_pre" : "minions"
  );
  const [filter, setFilter] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState<{ action: KeyAction; ids: string[] } | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const keyCount = KEY_STATES.reduce((sum, one) => sum + store.fleet.minions.keys(one).size, 0);
  useEffect(() => void store.keys.loadFingerprints(), [keyCount]);
  const ids = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    const all = [...store.fleet.minions.keys(state)].sort(compareIds);
    return wanted === "" ? all : all.filter((id) => id.toLowerCase().includes(wanted) || finger(id).includes(wanted));
  }, [state, beat, filter, store.keys.fingerprints.value]);
  function finger(id: string): string {
    return store.keys.fingerprints.value[state]?.[id] ?? "";
  }
  const knows = (one: KeyState) => store.fleet.keysKnown.value || (one === "minions" && store.fleet.known.value);
  const picked = ids.filter((id) => chosen.has(id));
  const choose = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const perform = async (action: KeyAction, of: string[]) => {
    const { done } = ACTIONS[action];
    setBusy(true);
    try {
      await store.keys.change(action, state, of);
      store.notices.add("ok", `${done}: ${of.length === 1 ? of[0] : countText(of.length, "key")}`);
      setChosen(new Set());
      await store.fleet.load();
    } catch (error) {
      store.notices.fail(error);
    } finally {
      setBusy(false);
    }
  };
  const { none } = LABELS[state];
  const open = (Object.keys(ACTIONS) as KeyAction[]).filter((action) => ACTIONS[action].of.includes(state));

  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Keys</h1>
        <Button
          icon="again"
          onClick={() => {
            void store.fleet.load();
            void store.keys.loadFingerprints();
          }}
        >
          Read again
        </Button>
      </header>
      <Problem error={store.fleet.error.value} retry={() => store.fleet.load()} />
      <div class="tabs" role="tablist" aria-label="Where the keys are">
        {KEY_STATES.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={state === one}
            onClick={() => {
              setState(one);
              setChosen(new Set());
            }}
          >
            <span class={`state ${store.fleet.minions.keys(one).size > 0 ? LABELS[one].tone : "idle"}`}>
              <Icon name={LABELS[one].icon} size={14} />
            </span>
            {LABELS[one].label}{" "}
            <b class="num">{knows(one) ? store.fleet.minions.keys(one).size.toLocaleString("en") : "?"}</b>
          </button>
        ))}
      </div>
      <div class="search-row">
        <SearchField label="Search in keys" placeholder="Minion or fingerprint" value={filter} onChange={setFilter} />
        {ids.length > 0 && (
          <div class="actions">
            <label class="check">
              <input
                type="checkbox"
                checked={picked.length === ids.length}
                // Some but not all.
                ref={(element) => {
                  if (element !== null) element.indeterminate = picked.length > 0 && picked.length < ids.length;
                }}
                onChange={() => setChosen(new Set(picked.length === ids.length ? [] : ids))}
              />
              {picked.length === 0 ? "All" : `${picked.length.toLocaleString("en")} chosen`}
            </label>
            {open.map((action) => (
              <Button
                key={action}
                kind={action === "accept" ? "primary" : "plain"}
                disabled={picked.length === 0 || busy}
                onClick={() => setAsking({ action, ids: picked })}
              >
                {ACTIONS[action].label}
              </Button>
            ))}
          </div>
        )}
      </div>
      {state === "minions_pre" && ids.length > 0 && (
        <p class="hint">
          Compare before you accept: <code>salt-call --local key.finger</code>{" "}
          on the minion shows the fingerprint that has to stand here.
        </p>
      )}
      {ids.length === 0
        ? (
          <Empty icon="keys" title={!knows(state) ? "Not known" : filter === "" ? "Nothing here" : "No key fits"}>
            <p>{!knows(state) ? UNTOLD : filter === "" ? none : "Search for a part of the id."}</p>
          </Empty>
        )
        : (
          <VirtualList
            class="keys"
            label={`Keys: ${LABELS[state].label}`}
            count={ids.length}
            keyOf={(index) => ids[index]!}
            onChoose={(index) => choose(ids[index]!)}
            render={({ index }) => {
              const id = ids[index]!;
              return (
                <>
                  <span role="gridcell">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${id}`}
                      tabIndex={-1}
                      checked={chosen.has(id)}
                      onChange={() => choose(id)}
                    />
                  </span>
                  <span role="gridcell" class="mono cut">
                    {state === "minions" ? <a href={href("minions", id)} tabIndex={-1}>{id}</a> : id}
                  </span>
                  <span role="gridcell" class="mono cut muted finger" title={finger(id)}>{finger(id) || "…"}</span>
                  <span role="gridcell" class="row-actions">
                    {open.map((action) => (
                      <button
                        key={action}
                        type="button"
                        class="link"
                        tabIndex={-1}
                        disabled={busy}
                        aria-label={`${ACTIONS[action].label} ${id}`}
                        onClick={() => setAsking({ action, ids: [id] })}
                      >
                        {ACTIONS[action].label}
                      </button>
                    ))}
                  </span>
                </>
              );
            }}
          />
        )}
      {asking !== undefined && (
        <Confirm
          title={`${ACTIONS[asking.action].label} ${
            asking.ids.length === 1 ? `the key of ${asking.ids[0]}` : countText(asking.ids.length, "key")
          }?`}
          action={ACTIONS[asking.action].label}
          kind={asking.action === "accept" ? "primary" : "danger"}
          onConfirm={() => perform(asking.action, asking.ids)}
          onClose={() => setAsking(undefined)}
        >
          {asking.action === "accept"
            ? <p>From then on the master trusts whoever holds this key, and sends it jobs, files and pillar.</p>
            : asking.action === "reject"
            ? <p>The minion is turned away until the key is accepted again.</p>
            : <p>The master forgets the key. A minion that is still running presents it again.</p>}
          <ul class="finger-list">
            {asking.ids.slice(0, 8).map((id) => (
              <li key={id}>
                <b class="mono">{id}</b> <code>{finger(id)}</code>
              </li>
            ))}
          </ul>
          {asking.ids.length > 8 && <p class="muted">and {asking.ids.length - 8} more</p>}
          {asking.ids.length === 1 && finger(asking.ids[0]!) !== "" && (
            <CopyButton
              label="Copy the fingerprint"
              text={() => finger(asking.ids[0]!)}
            />
          )}
        </Confirm>
      )}
    </main>
  );
}
