import { useEffect, useRef } from "preact/hooks";
import { isForbidden } from "../../api.ts";
import { KEY_LISTS } from "../../fleet.ts";
import { href } from "../../route.ts";
import { countText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { useAttempt } from "../parts/hooks.ts";
import type { KeyDecisionAction } from "../store/keys_store.ts";
import { useStore } from "../store/store_context.ts";

/** The most keys that are listed here, and on a narrow screen; the page of keys lists all. */
const LISTED = 3;
const LISTED_NARROW = 1;
const NARROW = 760;

/** The pending keys of minions with their fingerprints, and buttons to accept or reject each. */
export function WaitingKeys() {
  const { fleet, keys } = useStore();
  fleet.beat.value;
  const pending = fleet.minions.keys("minions_pre");
  const listed = useListed(pending);
  useEffect(() => {
    if (fleet.keysKnown.value && listed.length > 0) void keys.wantPending(listed.filter((id) => pending.has(id)));
  }, [listed.join("\n"), fleet.keysKnown.value]);
  if (!fleet.keysKnown.value || pending.size === 0) return null;
  const mayRead = !isForbidden(keys.error.value);
  const mayChange = keys.may("accept") || keys.may("reject");
  return (
    <section class="waiting" aria-label="Minions with a pending key">
      <div class="waiting-head">
        <h2>{countText(pending.size, "minion")} {pending.size === 1 ? "waits" : "wait"} to be accepted</h2>
        <span class="hint grow">
          {!mayChange ? "This account may not accept or reject keys." : mayRead
            ? (
              <>
                Compare with <code>salt-call --local key.finger</code> on the minion.
              </>
            )
            : "This account may not read fingerprints (key.finger): accept under Keys."}
        </span>
        <a class="small nowrap" href={href("keys")}>
          {pending.size > listed.length ? `All ${pending.size.toLocaleString("en")} keys` : "All keys"}
        </a>
      </div>
      {mayRead && <Problem error={keys.error.value} retry={() => keys.wantPending(listed)} />}
      <ul>{listed.map((id) => <WaitingKey key={id} id={id} isWaiting={pending.has(id)} />)}</ul>
    </section>
  );
}

/**
 * The listed keys. A key that was accepted elsewhere stays until all are done: if rows moved up, another key would be under a
 * pointer that is about to click.
 */
function useListed(pending: ReadonlySet<string>): readonly string[] {
  const kept = useRef<string[]>([]);
  if (!kept.current.some((id) => pending.has(id))) kept.current = [];
  const most = innerWidth < NARROW ? LISTED_NARROW : LISTED;
  for (const id of pending) {
    if (kept.current.length >= most) break;
    if (!kept.current.includes(id)) kept.current.push(id);
  }
  return kept.current;
}

function WaitingKey({ id, isWaiting }: { id: string; isWaiting: boolean }) {
  const store = useStore();
  const { busy, error, attempt } = useAttempt();
  const fingerprint = store.keys.fingerprint("minions_pre", id);
  const change = (action: KeyDecisionAction) =>
    attempt(async () => {
      await store.keys.change(action, "minions_pre", [id]);
      await store.fleet.load();
    });
  const button = (action: KeyDecisionAction, label: string) =>
    store.keys.may(action) && (
      <Button
        kind={action === "accept" ? "primary" : "plain"}
        disabled={busy || fingerprint === ""}
        title={`${label} the key of ${id}`}
        onClick={() => change(action)}
      >
        {label} <span class="visually-hidden">{id}</span>
      </Button>
    );
  return (
    <li>
      <b class="mono waiting-id">{id}</b>
      {isWaiting
        ? (
          <>
            <code class="waiting-finger">{fingerprint || "…"}</code>
            <span class="actions">
              {button("reject", "Reject")}
              {store.fleet.minions.keys("minions").has(id)
                ? <a class="small nowrap" href={href("keys")}>Has an accepted key</a>
                : button("accept", "Accept")}
            </span>
          </>
        )
        : <Done id={id} />}
      <Problem error={error} />
    </li>
  );
}

const DONE: Record<string, string> = { minions: "accepted", minions_rejected: "rejected", minions_denied: "denied" };

function Done({ id }: { id: string }) {
  const { minions } = useStore().fleet;
  const state = KEY_LISTS.find((one) => minions.keys(one).has(id)) ?? "";
  return (
    <span class={`state ${state === "minions" ? "ok" : "idle"}`} role="status">
      <Icon name={state === "minions" ? "ok" : "bad"} size={14} /> <span>{DONE[state] ?? "deleted"}</span>
    </span>
  );
}
