import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../../api.ts";
import { isRecord } from "../../../../base/record.ts";
import { factsOf } from "../../../machine.ts";
import { href } from "../../../route.ts";
import { filterTop, sortedTop } from "../../../tree.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy_button.tsx";
import { DataView } from "../../parts/data_view.tsx";
import { Empty, Problem } from "../../parts/problem.tsx";
import { Icon } from "../../parts/icon.tsx";
import { SearchField } from "../../parts/search_field.tsx";
import { State } from "../../parts/state.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { askMinion } from "../../store/ask_minion.ts";
import { useStore } from "../../store/store_context.ts";
import { MinionBeaconsTab } from "./minion_beacons.tsx";
import { MinionJobsTab } from "./minion_jobs.tsx";
import { MinionScheduleTab } from "./minion_schedule.tsx";

const TABS = ["grains", "pillar", "jobs", "schedule", "beacons"] as const;
type Tab = typeof TABS[number];
const LABELS: Record<Tab, string> = {
  grains: "Grains",
  pillar: "Pillar",
  jobs: "Jobs",
  schedule: "Schedule",
  beacons: "Beacons",
};

/** One minion: its state, its grains and on request its pillar, its jobs, schedule and beacons. */
export function MinionPage({ id }: { id: string }) {
  const store = useStore();
  store.fleet.beat.value;
  store.fleet.grainsBeat.value;
  const { query } = store.route.value;
  const tab = TABS.find((one) => one === query.tab) ?? "grains";
  const grains = store.fleet.grains.of(id);
  const ready = store.fleet.ready.value;
  useEffect(() => {
    if (ready) store.fleet.grains.want([id], true);
  }, [id, ready]);
  return (
    <main class="page fill">
      <MinionHead id={id} />
      {ready && store.fleet.known.value && !store.fleet.minions.keys("minions").has(id) && (
        <Problem
          error={new ApiError("refused", 0, `No accepted key for ${id}`, "It may be pending under Keys.")}
        />
      )}
      {grains !== undefined && (
        <dl class="facts">
          {factsOf(grains).map(([name, fact]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="num">{fact}</dd>
            </div>
          ))}
        </dl>
      )}
      <MinionTabs id={id} tab={tab} />
      {tab === "jobs"
        ? <MinionJobsTab id={id} />
        : tab === "schedule"
        ? <MinionScheduleTab id={id} />
        : tab === "beacons"
        ? <MinionBeaconsTab id={id} />
        : <MinionData key={tab} id={id} tab={tab} />}
    </main>
  );
}

/** Grains, or the pillar once it is asked for. */
function MinionData({ id, tab }: { id: string; tab: "grains" | "pillar" }) {
  const store = useStore();
  store.fleet.grainsBeat.value;
  const [filter, setFilter] = useState("");
  const [pillar, setPillar] = useState<{ value: unknown } | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const grains = store.fleet.grains.of(id);
  const ask = async (fun: string): Promise<Record<string, unknown>> => {
    const answer = await askMinion(store.api, id, { fun });
    if (isRecord(answer)) return answer;
    throw new ApiError("failed", 200, `${id}: ${String(answer).slice(0, 300)}`, "See its log.");
  };
  const reveal = () => attempt(async () => setPillar({ value: await ask("pillar.items") }));
  const refresh = () => attempt(async () => store.fleet.grains.set(id, await ask("grains.items")));
  const value = tab === "grains" ? grains : pillar?.value;
  const shown = useMemo(() => sortedTop(filterTop(value, filter)), [value, filter]);
  return (
    <>
      {(tab === "grains" || pillar !== undefined) && (
        <div class="search-row">
          <SearchField label={`Search ${tab}`} placeholder={`Search ${tab}`} value={filter} onChange={setFilter} />
          <div class="actions">
            {tab === "pillar" && <Button icon="eye" onClick={() => setPillar(undefined)}>Hide</Button>}
            <Button
              icon="again"
              disabled={busy}
              title={`Read from the minion (${tab}.items)`}
              onClick={tab === "grains" ? refresh : reveal}
            >
              {busy ? "Loading…" : "Refresh"}
            </Button>
            <CopyButton label="Copy" text={() => JSON.stringify(value, null, 2)} />
          </div>
        </div>
      )}
      <Problem error={error ?? (tab === "grains" ? store.fleet.grains.error : undefined)} />
      {tab === "pillar" && pillar === undefined
        ? <HiddenPillar busy={busy} onReveal={reveal} />
        : tab === "grains" && grains === undefined && store.fleet.grains.error === undefined
        ? <Empty icon="clock" title="Loading grains…" />
        : Object.keys(shown ?? {}).length === 0
        ? <NoData tab={tab} filtered={filter !== ""} />
        : <DataView value={shown} label={tab} openTo={filter === "" ? 0 : 1} />}
    </>
  );
}

function MinionHead({ id }: { id: string }) {
  const { fleet } = useStore();
  fleet.beat.value;
  return (
    <header class="page-head">
      <div class="grow">
        <p class="crumb">
          <a href={href("fleet")}>Fleet</a>
        </p>
        <h1 class="mono cut">
          {id} <State state={fleet.minions.presence(id)} />
        </h1>
      </div>
      <div class="actions">
        {(!fleet.known.value || fleet.minions.keys("minions").has(id)) && (
          <a class="button primary" href={href("run", "", { tgt: id, tgt_type: "list" })}>
            <Icon name="run" /> <span>Run a function</span>
          </a>
        )}
        <a class="button" href={href("events", "", { filter: id })}>
          <Icon name="events" /> <span>Events</span>
        </a>
      </div>
    </header>
  );
}

function MinionTabs({ id, tab }: { id: string; tab: Tab }) {
  return (
    <div class="tabs" role="tablist" aria-label="Minion data">
      {TABS.map((one) => (
        <button
          key={one}
          type="button"
          role="tab"
          aria-selected={tab === one}
          onClick={() => location.hash = href("minions", id, { tab: one === "grains" ? "" : one })}
        >
          {LABELS[one]}
        </button>
      ))}
    </div>
  );
}

function HiddenPillar({ busy, onReveal }: { busy: boolean; onReveal(): void }) {
  return (
    <Empty icon="eye" title="Pillar is hidden: it may contain secrets">
      <p>Reveal reads it from the minion (pillar.items). The browser does not store it.</p>
      <Button icon="eye" disabled={busy} onClick={onReveal}>{busy ? "Loading…" : "Reveal"}</Button>
    </Empty>
  );
}

function NoData({ tab, filtered }: { tab: string; filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon="search" title="No matches">
        <p>Search for a part of a name or value.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={`No ${tab}`}>
      <p>Refresh reads the data from the minion.</p>
    </Empty>
  );
}
