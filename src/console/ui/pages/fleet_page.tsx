import { useEffect, useMemo, useState } from "preact/hooks";
import type { Presence } from "../../fleet.ts";
import { addressOf, systemOf } from "../../machine.ts";
import { href } from "../../route.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { Count, State } from "../parts/state.tsx";
import { TargetBox, type TargetValue, usePreview } from "../parts/target_box.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";

const EVERYONE: TargetValue = { tgt: "", type: "glob" };

/** All minions: how many are up, which they are, and which of them a target matches. */
export function FleetPage() {
  const store = useStore();
  const { query } = store.route.value;
  const [target, setTarget] = useState<TargetValue>({ tgt: query.tgt ?? "", type: query.tgt_type ?? "glob" });
  const [only, setOnly] = useState<Presence | undefined>(undefined);
  const beat = store.fleet.beat.value;
  const wanted = wantedTarget(target);
  const preview = usePreview(wanted);
  const ids = useMemo(() => {
    const all = preview.kind === "here" ? preview.matched : [];
    return only === undefined ? all : all.filter((id) => store.fleet.minions.presence(id) === only);
  }, [preview, only, beat]);

  if (!store.fleet.ready.value) {
    return (
      <main class="page">
        <FleetHead />
        <Empty icon="clock" title="Loading minions…" />
      </main>
    );
  }
  const isSearch = wanted !== target && target.tgt !== "" && preview.kind === "here";
  return (
    <main class="page fill">
      <FleetHead />
      <Problem error={store.fleet.error.value} retry={() => store.fleet.load()} />
      <FleetCounts only={only} onOnly={setOnly} />
      <div class="search-row">
        <div class="grow">
          <TargetBox
            value={target}
            preview={isSearch ? { ...preview, why: `ids matching ${wanted.tgt}` } : preview}
            names={false}
            onChange={setTarget}
          />
        </div>
        <a class="button primary" href={href("run", "", { tgt: wanted.tgt, tgt_type: wanted.type })}>
          <Icon name="run" /> <span>Run on {target.tgt === "" ? "all" : "these"}</span>
        </a>
      </div>
      {preview.kind === "master" || preview.kind === "unknown"
        ? <UnknownMatch why={preview.why} asking={preview.kind === "master" && preview.asking === true} />
        : store.fleet.known.value && store.fleet.minions.ids.length === 0
        ? store.fleet.error.value === undefined && <NoMinions />
        : ids.length === 0
        ? (
          <NoMatch
            onReset={() => {
              setTarget(EVERYONE);
              setOnly(undefined);
            }}
          />
        )
        : <MinionList ids={ids} />}
    </main>
  );
}

/** The target to preview: a word without glob characters searches in the ids. */
function wantedTarget(target: TargetValue): TargetValue {
  if (target.tgt === "") return { tgt: "*", type: "glob" };
  if (target.type === "glob" && !/[*?[]/.test(target.tgt)) return { ...target, tgt: `*${target.tgt}*` };
  return target;
}

function FleetHead() {
  const { fleet } = useStore();
  const checking = fleet.checking.value;
  return (
    <header class="page-head">
      <h1>Fleet</h1>
      <Button
        icon="again"
        disabled={checking}
        title="Ping every minion (manage.status)"
        onClick={() => fleet.check()}
      >
        {checking ? "Pinging…" : "Ping all"}
      </Button>
    </header>
  );
}

/** How many minions are up and down, and how many keys wait; a press shows only those. */
function FleetCounts({ only, onOnly }: { only: Presence | undefined; onOnly(only: Presence | undefined): void }) {
  const { fleet } = useStore();
  const beat = fleet.beat.value;
  const counts = useMemo(() => fleet.minions.counts, [beat]);
  const count = (state: Presence) => (
    <Count
      state={state}
      count={counts[state]}
      pressed={only === state}
      onClick={() => onOnly(only === state ? undefined : state)}
    />
  );
  return (
    <div class="tiles">
      {fleet.known.value
        ? (
          <>
            {count("up")}
            {count("down")}
          </>
        )
        : (
          <span class="count idle">
            <Icon name="warn" size={14} /> number of minions unknown
          </span>
        )}
      {counts.unknown > 0 && count("unknown")}
      <a class={`count ${counts.pending > 0 ? "warn" : "idle"}`} href={href("keys")}>
        <Icon name="keys" size={14} />
        <b>{fleet.keysKnown.value ? counts.pending.toLocaleString("en") : "?"}</b> unaccepted{" "}
        {counts.pending === 1 ? "key" : "keys"}
      </a>
    </div>
  );
}

function UnknownMatch({ why, asking }: { why: string; asking: boolean }) {
  if (asking) return <Empty icon="clock" title="Asking the master which minions match…" />;
  return (
    <Empty icon="warn" title="Matching minions unknown">
      <p>
        {why}. To list minions, an account needs <code>key.list_all</code> in its <code>@wheel</code> permissions or
        {" "}
        <code>manage.status</code> in its <code>@runner</code> permissions (<code>external_auth</code> of the master).
      </p>
    </Empty>
  );
}

function NoMinions() {
  const { fleet } = useStore();
  fleet.beat.value;
  const { pending } = fleet.minions.counts;
  return (
    <Empty icon="fleet" title="No accepted minions yet">
      {pending > 0
        ? (
          <p>
            {pending === 1 ? "1 key waits" : `${pending} keys wait`} under{" "}
            <a href={href("keys")}>Keys</a>: compare the fingerprint, then accept it.
          </p>
        )
        : (
          <p>
            Start a minion with <code>master:</code> set to this master. Its key then appears under{" "}
            <a href={href("keys")}>Keys</a>.
          </p>
        )}
    </Empty>
  );
}

function NoMatch({ onReset }: { onReset(): void }) {
  const { fleet } = useStore();
  fleet.beat.value;
  const { accepted } = fleet.minions.counts;
  return (
    <Empty icon="search" title="No minions match">
      <p>
        Change the target, or{" "}
        <button type="button" class="link" onClick={onReset}>show all {accepted.toLocaleString("en")}</button>.
      </p>
    </Empty>
  );
}

function MinionList({ ids }: { ids: readonly string[] }) {
  const { fleet } = useStore();
  const [window, setWindow] = useState<[number, number]>([0, 40]);
  useEffect(() => fleet.grains.want(ids.slice(window[0], window[1]), true), [ids, window]);
  return (
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
      render={({ index }) => <MinionCells id={ids[index]!} />}
    />
  );
}

function MinionCells({ id }: { id: string }) {
  const { fleet } = useStore();
  fleet.beat.value;
  fleet.grainsBeat.value;
  const grains = fleet.grains.of(id);
  const loading = grains === undefined && fleet.grains.error === undefined;
  const version = grains?.saltversion;
  return (
    <>
      <span role="gridcell">
        <State state={fleet.minions.presence(id)} />
      </span>
      <span role="gridcell" class="cut">
        <a class="mono" href={href("minions", id)} tabIndex={-1}>{id}</a>
      </span>
      <span role="gridcell" class="cut muted">{loading ? "…" : systemOf(grains) || "unknown"}</span>
      <span role="gridcell" class="wide muted num cut">{typeof version === "string" ? version : ""}</span>
      <span role="gridcell" class="wide muted num cut">{addressOf(grains)}</span>
    </>
  );
}
