import { useEffect, useMemo, useState } from "preact/hooks";
import type { Presence } from "../../fleet.ts";
import { href } from "../../route.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { Count, State } from "../parts/state.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { TargetBox, type TargetValue, usePreview } from "../parts/target_box.tsx";
import { useStore } from "../store/store_context.ts";

const text = (value: unknown): string => typeof value === "string" || typeof value === "number" ? String(value) : "";

/** The address by which people know a machine: the first that is not its own loop. */
export function addressOf(grains: Record<string, unknown> | undefined): string {
  for (const name of ["fqdn_ip4", "ipv4"]) {
    const list = grains?.[name];
    const found = Array.isArray(list)
      ? list.find((one) => typeof one === "string" && !one.startsWith("127."))
      : undefined;
    if (found !== undefined) return String(found);
  }
  return "";
}

/** The fleet at a glance: how many are up, which they are, and whom a target would mean. */
export function FleetPage() {
  const store = useStore();
  const { query } = store.route.value;
  const [target, setTarget] = useState<TargetValue>({ tgt: query.tgt ?? "", type: query.tgt_type ?? "glob" });
  const [only, setOnly] = useState<Presence | undefined>(undefined);
  const beat = store.fleet.beat.value;
  const counts = useMemo(() => store.fleet.minions.counts, [beat]);
  // A word without a glob's characters is a search: whoever has it in the id.
  const wanted: TargetValue = target.tgt === ""
    ? { tgt: "*", type: "glob" }
    : target.type === "glob" && !/[*?[]/.test(target.tgt)
    ? { ...target, tgt: `*${target.tgt}*` }
    : target;
  const preview = usePreview(wanted);
  const ids = useMemo(() => {
    const all = preview.kind === "here" ? preview.matched : [];
    return only === undefined ? all : all.filter((id) => store.fleet.minions.presence(id) === only);
  }, [preview, only, beat]);
  const [window, setWindow] = useState<[number, number]>([0, 40]);
  useEffect(() => {
    store.fleet.grains.want(ids.slice(window[0], window[1]), true);
  }, [ids, window]);
  store.fleet.grainsBeat.value;

  if (!store.fleet.ready.value) {
    return (
      <main class="page">
        <Head store={store} />
        <Empty icon="clock" title="Reading the keys of the fleet…" />
      </main>
    );
  }
  const choose = (state: Presence) => setOnly(only === state ? undefined : state);
  return (
    <main class="page fill">
      <Head store={store} />
      <Problem error={store.fleet.error.value} retry={() => store.fleet.load()} />
      <div class="tiles">
        {store.fleet.known.value && (
          <>
            <Count state="up" count={counts.up} pressed={only === "up"} onClick={() => choose("up")} />
            <Count state="down" count={counts.down} pressed={only === "down"} onClick={() => choose("down")} />
          </>
        )}
        {!store.fleet.known.value && (
          <span class="count idle">
            <Icon name="warn" size={14} /> not known how many there are
          </span>
        )}
        {counts.unknown > 0 && (
          <Count
            state="unknown"
            count={counts.unknown}
            pressed={only === "unknown"}
            onClick={() => choose("unknown")}
          />
        )}
        <a class={`count ${counts.pending > 0 ? "warn" : "idle"}`} href={href("keys")}>
          <Icon name="keys" size={14} />
          <b>{store.fleet.keysKnown.value ? counts.pending.toLocaleString("en") : "?"}</b>{" "}
          {counts.pending === 1 ? "key" : "keys"} to accept
        </a>
      </div>
      <div class="search-row">
        <div class="grow">
          <TargetBox
            value={target}
            preview={wanted === target || target.tgt === "" || preview.kind !== "here"
              ? preview
              : { ...preview, why: `those with it in their id: ${wanted.tgt}` }}
            names={false}
            onChange={setTarget}
          />
        </div>
        <a class="button primary" href={href("run", "", { tgt: wanted.tgt, tgt_type: wanted.type })}>
          <Icon name="run" /> <span>Run on {target.tgt === "" ? "all" : "these"}</span>
        </a>
      </div>
      {preview.kind === "master" && preview.asking
        ? <Empty icon="clock" title="Asking the master whom that means…" />
        : preview.kind === "master" || preview.kind === "unknown"
        ? (
          <Empty icon="warn" title="Not known which minions these are">
            <p>
              {preview.why}. An account that may list them has <code>key.list_all</code> among its{" "}
              <code>@wheel</code>, or <code>manage.status</code> among its <code>@runner</code>, in the master's{" "}
              <code>external_auth</code>.
            </p>
          </Empty>
        )
        : store.fleet.known.value && store.fleet.minions.ids.length === 0 && store.fleet.error.value !== undefined
        ? null
        : store.fleet.known.value && store.fleet.minions.ids.length === 0
        ? (
          <Empty icon="fleet" title="No minion has an accepted key yet">
            {counts.pending > 0
              ? (
                <p>
                  {counts.pending} wait under <a href={href("keys")}>Keys</a>: compare the fingerprint and accept.
                </p>
              )
              : (
                <p>
                  Start a minion with <code>master:</code> set to this master; its key then appears under{" "}
                  <a href={href("keys")}>Keys</a>.
                </p>
              )}
          </Empty>
        )
        : ids.length === 0
        ? (
          <Empty icon="search" title="Nobody matches">
            <p>
              Try another kind of target, or{" "}
              <button
                type="button"
                class="link"
                onClick={() => {
                  setTarget({ tgt: "", type: "glob" });
                  setOnly(undefined);
                }}
              >
                show all {counts.accepted.toLocaleString("en")}
              </button>.
            </p>
          </Empty>
        )
        : (
          <VirtualList
            class="fleet"
            label="Minions"
            count={ids.length}
            keyOf={(index) => ids[index]!}
            onOpen={(index) => location.hash = href("minions", ids[index]!)}
            onWindow={(first, end) => setWindow([first, end])}
            header={
              <>
                <span role="columnheader">State</span>
                <span role="columnheader">Minion</span>
                <span role="columnheader">System</span>
                <span role="columnheader" class="wide">Salt</span>
                <span role="columnheader" class="wide">Address</span>
              </>
            }
            render={({ index }) => {
              const id = ids[index]!;
              const grains = store.fleet.grains.of(id);
              return (
                <>
                  <span role="gridcell">
                    <State state={store.fleet.minions.presence(id)} />
                  </span>
                  <span role="gridcell" class="cut">
                    <a class="mono" href={href("minions", id)} tabIndex={-1}>{id}</a>
                  </span>
                  <span role="gridcell" class="cut muted">
                    {grains === undefined
                      ? store.fleet.grains.error === undefined ? "…" : "not known"
                      : `${text(grains.os)} ${text(grains.osrelease)}`.trim() || "not known"}
                  </span>
                  <span role="gridcell" class="wide muted num cut">{text(grains?.saltversion)}</span>
                  <span role="gridcell" class="wide muted num cut">{addressOf(grains)}</span>
                </>
              );
            }}
          />
        )}
    </main>
  );
}

function Head({ store }: { store: ReturnType<typeof useStore> }) {
  return (
    <header class="page-head">
      <h1>Fleet</h1>
      <Button
        icon="again"
        disabled={store.fleet.checking.value}
        title="Ask every minion whether it is there (manage.status)"
        onClick={() => store.fleet.check()}
      >
        {store.fleet.checking.value ? "Asking…" : "Ask all"}
      </Button>
    </header>
  );
}
