import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../api.ts";
import { href } from "../../route.ts";
import { filterTop } from "../../tree.ts";
import { DataView } from "../parts/data_view.tsx";
import { addressOf } from "./fleet_page.tsx";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { Problem } from "../parts/problem.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { State } from "../parts/state.tsx";
import { useStore } from "../store/store_context.ts";

const text = (value: unknown): string => typeof value === "string" || typeof value === "number" ? String(value) : "";

/** One minion: its state, its grains, and its pillar for those who may see it and ask for it. */
export function MinionPage({ id }: { id: string }) {
  const store = useStore();
  store.fleet.beat.value;
  store.fleet.grainsBeat.value;
  const [tab, setTab] = useState<"grains" | "pillar">("grains");
  const [filter, setFilter] = useState("");
  const [pillar, setPillar] = useState<{ value: unknown } | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [busy, setBusy] = useState(false);
  const presence = store.fleet.minions.presence(id);
  const grains = store.fleet.grains.of(id);
  const ready = store.fleet.ready.value;
  useEffect(() => {
    if (ready) store.fleet.grains.want([id], true);
  }, [id, ready]);
  const accepted = store.fleet.minions.keys("minions").has(id);

  /** What the minion itself says; one that is silent says nothing. */
  const ask = async (fun: string): Promise<Record<string, unknown> | undefined> => {
    setBusy(true);
    setError(undefined);
    try {
      const answer = (await store.api.local({ tgt: id, tgt_type: "list", fun }))[id];
      if (typeof answer === "object" && answer !== null) return answer as Record<string, unknown>;
      throw new ApiError(
        "failed",
        200,
        answer === false || answer === undefined ? `${id} did not answer` : `${id}: ${answer}`,
        "Look whether it is up: its own log says what it waits for.",
      );
    } catch (caught) {
      setError(caught);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const reveal = async () => {
    const value = await ask("pillar.items");
    if (value !== undefined) setPillar({ value });
  };
  const refresh = async () => {
    const value = await ask("grains.items");
    if (value !== undefined) store.fleet.grains.set(id, value);
  };
  const shown = useMemo(() => filterTop(tab === "grains" ? grains : pillar?.value, filter), [
    tab,
    grains,
    pillar,
    filter,
  ]);
  const facts: [string, string][] = [
    ["System", `${text(grains?.os)} ${text(grains?.osrelease)}`.trim()],
    ["Kernel", `${text(grains?.kernel)} ${text(grains?.kernelrelease)}`.trim()],
    ["CPU", `${text(grains?.num_cpus)} × ${text(grains?.cpuarch)}`],
    ["Memory", grains?.mem_total === undefined ? "" : `${Number(grains.mem_total).toLocaleString("en")} MB`],
    ["Address", addressOf(grains)],
    ["Salt", text(grains?.saltversion)],
  ];

  return (
    <main class="page fill">
      <header class="page-head">
        <div class="grow">
          <p class="crumb">
            <a href={href("fleet")}>Fleet</a>
          </p>
          <h1 class="mono cut">
            {id} <State state={presence} />
          </h1>
        </div>
        <div class="actions">
          <a class="button primary" href={href("run", "", { tgt: id, tgt_type: "list" })}>
            <Icon name="run" /> <span>Run on it</span>
          </a>
          <a class="button" href={href("events", "", { filter: id })}>
            <Icon name="events" /> <span>Events</span>
          </a>
        </div>
      </header>
      {!accepted && ready && (
        <Problem
          error={new ApiError("refused", 0, `No key of ${id} is accepted`, "Look under Keys; it may wait there.")}
        />
      )}
      {grains !== undefined && (
        <dl class="facts">
          {facts.filter(([, value]) => value !== "" && value !== "×").map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="num">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <div class="tabs" role="tablist" aria-label="What is known of it">
        <button type="button" role="tab" aria-selected={tab === "grains"} onClick={() => setTab("grains")}>
          Grains
        </button>
        <button type="button" role="tab" aria-selected={tab === "pillar"} onClick={() => setTab("pillar")}>
          Pillar
        </button>
      </div>
      {(tab === "grains" || pillar !== undefined) && (
        <div class="search-row">
          <SearchField
            label={`Search in ${tab}`}
            placeholder={`Search in ${tab}`}
            value={filter}
            onChange={setFilter}
          />
          <div class="actions">
            {tab === "pillar" && <Button icon="eye" onClick={() => setPillar(undefined)}>Hide</Button>}
            <Button
              icon="again"
              disabled={busy}
              title="Ask the minion itself"
              onClick={tab === "grains" ? refresh : reveal}
            >
              {busy ? "Asking…" : "Ask it"}
            </Button>
            <CopyButton label="Copy" text={() => JSON.stringify(tab === "grains" ? grains : pillar?.value, null, 2)} />
          </div>
        </div>
      )}
      <Problem error={error ?? store.fleet.grains.error} />
      {tab === "pillar" && pillar === undefined
        ? (
          <Empty icon="eye" title="Pillar may hold secrets, so it is hidden">
            <p>Asked for, it is read from the minion (pillar.items), shown to you alone and kept nowhere.</p>
            <Button icon="eye" disabled={busy} onClick={reveal}>{busy ? "Asking…" : "Reveal"}</Button>
          </Empty>
        )
        : tab === "grains" && grains === undefined && store.fleet.grains.error === undefined
        ? <Empty icon="clock" title="Reading the grains…" />
        : Object.keys(shown ?? {}).length === 0
        ? (
          <Empty icon="search" title={filter === "" ? `No ${tab} known` : "Nothing fits"}>
            <p>
              {filter === "" ? "Ask the minion itself with the button above." : "Search for a part of a name or value."}
            </p>
          </Empty>
        )
        : <DataView value={shown} label={tab} openTo={filter === "" ? 0 : 1} />}
    </main>
  );
}
