import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../api.ts";
import { factsOf } from "../../machine.ts";
import { href } from "../../route.ts";
import { filterTop } from "../../tree.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { DataView } from "../parts/data_view.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { State } from "../parts/state.tsx";
import { useAttempt } from "../parts/use_attempt.ts";
import { useStore } from "../store/store_context.ts";

type Tab = "grains" | "pillar";

/** One minion: its state, its grains, and on request its pillar. */
export function MinionPage({ id }: { id: string }) {
  const store = useStore();
  store.fleet.beat.value;
  store.fleet.grainsBeat.value;
  const [tab, setTab] = useState<Tab>("grains");
  const [filter, setFilter] = useState("");
  const [pillar, setPillar] = useState<{ value: unknown } | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const grains = store.fleet.grains.of(id);
  const ready = store.fleet.ready.value;
  useEffect(() => {
    if (ready) store.fleet.grains.want([id], true);
  }, [id, ready]);

  /** Calls a function on the minion that returns a mapping. */
  const ask = async (fun: string): Promise<Record<string, unknown>> => {
    const answer = (await store.api.local({ tgt: id, tgt_type: "list", fun }))[id];
    if (typeof answer === "object" && answer !== null) return answer as Record<string, unknown>;
    throw new ApiError(
      "failed",
      200,
      answer === false || answer === undefined ? `${id} did not answer` : `${id}: ${answer}`,
      "Check that the minion is up; its log has details.",
    );
  };
  const reveal = () => attempt(async () => setPillar({ value: await ask("pillar.items") }));
  const refresh = () => attempt(async () => store.fleet.grains.set(id, await ask("grains.items")));

  const value = tab === "grains" ? grains : pillar?.value;
  const shown = useMemo(() => filterTop(value, filter), [value, filter]);
  return (
    <main class="page fill">
      <MinionHead id={id} />
      {ready && !store.fleet.minions.keys("minions").has(id) && (
        <Problem
          error={new ApiError("refused", 0, `No accepted key for ${id}`, "Check Keys: it may wait there.")}
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
      <MinionTabs tab={tab} onTab={setTab} />
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
      <Problem error={error ?? store.fleet.grains.error} />
      {tab === "pillar" && pillar === undefined
        ? <HiddenPillar busy={busy} onReveal={reveal} />
        : tab === "grains" && grains === undefined && store.fleet.grains.error === undefined
        ? <Empty icon="clock" title="Loading grains…" />
        : Object.keys(shown ?? {}).length === 0
        ? <NoData tab={tab} filtered={filter !== ""} />
        : <DataView value={shown} label={tab} openTo={filter === "" ? 0 : 1} />}
    </main>
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
        <a class="button primary" href={href("run", "", { tgt: id, tgt_type: "list" })}>
          <Icon name="run" /> <span>Run a function</span>
        </a>
        <a class="button" href={href("events", "", { filter: id })}>
          <Icon name="events" /> <span>Events</span>
        </a>
      </div>
    </header>
  );
}

function MinionTabs({ tab, onTab }: { tab: Tab; onTab(tab: Tab): void }) {
  return (
    <div class="tabs" role="tablist" aria-label="Minion data">
      <button type="button" role="tab" aria-selected={tab === "grains"} onClick={() => onTab("grains")}>Grains</button>
      <button type="button" role="tab" aria-selected={tab === "pillar"} onClick={() => onTab("pillar")}>Pillar</button>
    </div>
  );
}

function HiddenPillar({ busy, onReveal }: { busy: boolean; onReveal(): void }) {
  return (
    <Empty icon="eye" title="Pillar is hidden: it may contain secrets">
      <p>Reveal reads it from the minion (pillar.items). It is shown here only, and not stored.</p>
      <Button icon="eye" disabled={busy} onClick={onReveal}>{busy ? "Loading…" : "Reveal"}</Button>
    </Empty>
  );
}

function NoData({ tab, filtered }: { tab: Tab; filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon="search" title="No matches">
        <p>Search for a part of a name or value.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={`No ${tab}`}>
      <p>Refresh reads them from the minion.</p>
    </Empty>
  );
}
