import type { TargetValue } from "../../preview.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { fleetQuery, type FleetView, readFleetView, WHOLE_FLEET } from "../../fleet_view.ts";
import { type ExportTable, fleetTable } from "../../export.ts";
import { type MinionPresence, seenText } from "../../fleet.ts";
import type { FleetColumn, FleetOrder, KnownMinions } from "../../fleet_table.ts";
import { chosenMinions, factOf, grainColumn, sortedMinions } from "../../fleet_table.ts";
import { targetOf } from "../../preview.ts";
import { href } from "../../route.ts";
import { clockText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { Empty, Problem } from "../parts/problem.tsx";
import { ExportMenu } from "../parts/export_menu.tsx";
import { Icon } from "../parts/icon.tsx";
import { SortHeader } from "../parts/sort_header.tsx";
import { Count, State } from "../parts/state.tsx";
import { TargetBox, usePreview } from "../parts/target_box.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";
import { useAddress } from "../parts/hooks.ts";
import { Facets } from "./fleet_facets.tsx";
import { Selection } from "./fleet_selection.tsx";
import { ViewMenu } from "./fleet_views.tsx";
import { WaitingKeys } from "./fleet_waiting.tsx";

/** All minions: how many are up, and which ones a target matches. */
export function FleetPage() {
  const store = useStore();
  const [view, setView] = useState<FleetView>(() => readFleetView(store.route.value.query));
  useAddress(fleetQuery(view));
  const change = (changes: Partial<FleetView>) => setView({ ...view, ...changes });
  const { target, only, choices, order, grains } = view;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [showsFacets, setShowsFacets] = useState(() => innerWidth >= WIDE);
  const wanted = wantedTarget(target);
  const preview = usePreview(wanted);
  store.fleet.facts.choose(grains);
  const { matched, ids, known } = useListed(preview, view);

  if (!store.fleet.ready.value) return <LoadingFleet />;
  const isFiltered = only !== undefined || Object.values(choices).some((values) => values.size > 0);
  const notes = [
    ...(wanted !== target && target.tgt !== "" ? [`ids matching ${wanted.tgt}`] : []),
    ...(isFiltered ? [`${ids.length.toLocaleString("en")} with these filters`] : []),
  ];
  const isUnknown = preview.kind === "master" || preview.kind === "unknown";
  return (
    <main class="page fill">
      <FleetHead table={() => fleetTable(ids, known, grains)} view={view} />
      <Problem error={store.fleet.error.value} retry={() => store.fleet.load()} />
      <FleetCounts only={only} onOnly={(one) => change({ only: one })} />
      <WaitingKeys />
      <div class="search-row">
        <div class="grow">
          <TargetBox
            value={target}
            preview={preview.kind === "here" && notes.length > 0 ? { ...preview, why: notes.join(", ") } : preview}
            names={false}
            onChange={(value) => change({ target: value })}
          />
        </div>
        <Button icon="filter" pressed={showsFacets} onClick={() => setShowsFacets(!showsFacets)}>Filters</Button>
        {selected.size === 0 && (
          <RunLink
            ids={isFiltered ? ids : undefined}
            target={wanted}
            isAll={target.tgt === ""}
          />
        )}
      </div>
      {selected.size > 0 && <Selection ids={ids} selected={selected} onSelect={setSelected} />}
      <div class="fleet-split">
        {showsFacets && !isUnknown && (
          <Facets
            matched={matched}
            choices={choices}
            known={known}
            grains={grains}
            onChoices={(chosen) => change({ choices: chosen })}
            onGrains={(names) => change({ grains: names })}
            onGroup={(name) => change({ target: { tgt: name, type: "nodegroup" } })}
          />
        )}
        {isUnknown
          ? <UnknownMatch why={preview.why} asking={preview.kind === "master" && preview.asking === true} />
          : store.fleet.known.value && store.fleet.minions.ids.length === 0
          ? store.fleet.error.value === undefined && <NoMinions />
          : ids.length === 0
          ? <NoMatch onReset={() => setView({ ...WHOLE_FLEET, grains })} />
          : (
            <MinionList
              ids={ids}
              grains={grains}
              order={order}
              onOrder={(next) => change({ order: next })}
              selected={selected}
              onSelect={setSelected}
            />
          )}
      </div>
    </main>
  );
}

function LoadingFleet() {
  return (
    <main class="page">
      <FleetHead />
      <Empty icon="clock" title="Loading minions…" />
    </main>
  );
}

/** The width in pixels from which the filters fit beside the list. */
const WIDE = 1000;

/** The minions that are listed: those that the target matches, filtered and in order. */
function useListed(
  preview: ReturnType<typeof usePreview>,
  { only, choices, order, grains }: FleetView,
) {
  const store = useStore();
  const { fleet } = store;
  const beat = fleet.beat.value;
  const factsBeat = fleet.factsBeat.value;
  const ready = fleet.ready.value;
  const known = useMemo((): KnownMinions => ({
    presence: (id) => fleet.minions.presence(id),
    facts: (id) => fleet.facts.of(id),
    seenMs: (id) => fleet.minions.seenMs(id),
  }), [fleet]);
  const all = preview.kind === "here" ? preview.matched : NOBODY;
  useEffect(() => {
    if (ready) fleet.facts.want(all);
  }, [ready, all, grains]);
  // The list depends only on the beats that it uses: presence changes often, and facts while they are read.
  const usesPresence = only !== undefined || order.column === "state" || order.column === "seen";
  const usesFacts = !["minion", "state", "seen"].includes(order.column) ||
    Object.values(choices).some((values) => values.size > 0);
  const matched = useMemo(
    () => only === undefined ? all : all.filter((id) => known.presence(id) === only),
    [all, only, only === undefined ? 0 : beat],
  );
  const ids = useMemo(
    () => sortedMinions(chosenMinions(matched, choices, known), order, known, store.now()),
    [matched, choices, order, usesPresence ? beat : 0, usesFacts ? factsBeat : 0],
  );
  return { matched, ids, known };
}

const NOBODY: string[] = [];

function RunLink({ ids, target, isAll }: { ids: readonly string[] | undefined; target: TargetValue; isAll: boolean }) {
  const { tgt, type } = target;
  const link = ids === undefined ? href("run", "", { tgt, tgt_type: type }) : href("run", "", targetOf(ids));
  return (
    <a class="button primary" href={link}>
      <Icon name="run" /> <span>Run on {isAll && ids === undefined ? "all" : "these"}</span>
    </a>
  );
}

/** The target to preview: a word without glob characters searches in the ids. */
function wantedTarget(target: TargetValue): TargetValue {
  if (target.tgt === "") return { tgt: "*", type: "glob" };
  if (target.type === "glob" && !/[*?[]/.test(target.tgt)) return { ...target, tgt: `*${target.tgt}*` };
  return target;
}

function FleetHead({ table, view }: { table?(): ExportTable; view?: FleetView }) {
  const { fleet } = useStore();
  const checking = fleet.checking.value;
  return (
    <header class="page-head">
      <h1>Fleet</h1>
      <div class="actions">
        {view !== undefined && <ViewMenu view={view} />}
        {table !== undefined && <ExportMenu table={table} />}
        <Button
          icon="again"
          disabled={checking}
          title="Ping every minion (manage.status)"
          onClick={() => fleet.check()}
        >
          {checking ? "Pinging…" : "Ping all"}
        </Button>
      </div>
    </header>
  );
}

/** The number of minions that are up and down, and of pending keys; a click filters by them. */
function FleetCounts(
  { only, onOnly }: { only: MinionPresence | undefined; onOnly(only: MinionPresence | undefined): void },
) {
  const { fleet, now } = useStore();
  const beat = fleet.beat.value;
  const counts = useMemo(() => fleet.minions.counts, [beat]);
  const { awaySinceMs } = fleet.minions;
  const count = (state: MinionPresence) => (
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
      {awaySinceMs !== undefined && <span class="count plain">since {clockText(awaySinceMs, now())}</span>}
      {awaySinceMs === undefined && counts.unknown > 0 && fleet.known.value && fleet.minions.isSettled(now()) && (
        <span class="count plain">not heard of since the master started</span>
      )}
      <a class={`count ${counts.pending > 0 ? "warn" : "idle"}`} href={href("keys")}>
        <Icon name="keys" size={14} />
        <b>{fleet.keysKnown.value ? counts.pending.toLocaleString("en") : "?"}</b> unaccepted{" "}
        {counts.pending === 1 ? "key" : "keys"}
      </a>
      {counts.denied > 0 && (
        <a class="count bad" href={href("keys")} title="Another host uses the id of an accepted minion">
          <Icon name="off" size={14} /> <b>{counts.denied.toLocaleString("en")}</b> denied{" "}
          {counts.denied === 1 ? "key" : "keys"}
        </a>
      )}
    </div>
  );
}

function UnknownMatch({ why, asking }: { why: string; asking: boolean }) {
  if (asking) return <Empty icon="clock" title="Resolving the target…" />;
  return (
    <Empty icon="warn" title="Matching minions unknown">
      <p>
        {why.charAt(0).toUpperCase() + why.slice(1)}. To list minions, an account needs <code>key.list_all</code> in its
        {" "}
        <code>@wheel</code> permissions or <code>manage.status</code> in its <code>@runner</code>{" "}
        permissions (<code>external_auth</code> of the master).
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
            {pending === 1 ? "1 pending key" : `${pending} pending keys`} under{" "}
            <a href={href("keys")}>Keys</a>: compare the fingerprint, then accept the key.
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

const COLUMNS: { column: FleetColumn; label: string; wide?: boolean }[] = [
  { column: "state", label: "State" },
  { column: "minion", label: "Minion" },
  { column: "system", label: "System" },
  { column: "program", label: "Program", wide: true },
  { column: "address", label: "Address", wide: true },
  { column: "seen", label: "Last seen", wide: true },
];

function MinionList(
  { ids, grains, order, onOrder, selected, onSelect }: {
    ids: readonly string[];
    grains: readonly string[];
    order: FleetOrder;
    onOrder(order: FleetOrder): void;
    selected: ReadonlySet<string>;
    onSelect(selected: ReadonlySet<string>): void;
  },
) {
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  return (
    <VirtualList
      class="fleet"
      label="Minions"
      count={ids.length}
      keyOf={(index) => ids[index]!}
      onOpen={(index) => location.hash = href("minions", ids[index]!)}
      onChoose={(index) => toggle(ids[index]!)}
      header={
        <>
          <SelectAll ids={ids} selected={selected} onSelect={onSelect} />
          {COLUMNS.map(({ column, label, wide }) => (
            <SortHeader key={column} column={column} label={label} wide={wide} order={order} onOrder={onOrder} />
          ))}
          {grains.map((grain) => (
            <SortHeader key={grain} column={grainColumn(grain)} label={grain} wide order={order} onOrder={onOrder} />
          ))}
        </>
      }
      render={({ index }) => {
        const id = ids[index]!;
        return <MinionCells id={id} grains={grains} isSelected={selected.has(id)} onToggle={() => toggle(id)} />;
      }}
    />
  );
}

function SelectAll(
  { ids, selected, onSelect }: {
    ids: readonly string[];
    selected: ReadonlySet<string>;
    onSelect(selected: ReadonlySet<string>): void;
  },
) {
  const all = selected.size >= ids.length && ids.every((id) => selected.has(id));
  return (
    <span role="columnheader">
      <input
        type="checkbox"
        aria-label="Select all listed"
        checked={all}
        ref={(element) => {
          if (element !== null) element.indeterminate = selected.size > 0 && !all;
        }}
        onChange={() => onSelect(new Set(all ? [] : [...selected, ...ids]))}
      />
    </span>
  );
}

function MinionCells(
  { id, grains, isSelected, onToggle }: {
    id: string;
    grains: readonly string[];
    isSelected: boolean;
    onToggle(): void;
  },
) {
  const { fleet } = useStore();
  fleet.beat.value;
  fleet.factsBeat.value;
  const facts = fleet.facts.of(id);
  const loading = facts === undefined && fleet.facts.error === undefined;
  return (
    <>
      <span role="gridcell">
        <input type="checkbox" aria-label={`Select ${id}`} tabIndex={-1} checked={isSelected} onChange={onToggle} />
      </span>
      <span role="gridcell">
        <State state={fleet.minions.presence(id)} />
      </span>
      <span role="gridcell" class="cut">
        <a class="mono" href={href("minions", id)} tabIndex={-1}>{id}</a>
      </span>
      <span role="gridcell" class="cut muted">{loading ? "…" : facts?.system || "unknown"}</span>
      <span role="gridcell" class="wide muted num cut">{facts?.program}</span>
      <span role="gridcell" class="wide muted num cut">{facts?.address}</span>
      <LastSeen id={id} />
      {grains.map((grain) => (
        <span key={grain} role="gridcell" class="wide muted cut">{factOf(facts, grainColumn(grain))}</span>
      ))}
    </>
  );
}

/** When a minion was last heard from; the age is updated while the page is visible. */
function LastSeen({ id }: { id: string }) {
  const { fleet, clock } = useStore();
  fleet.beat.value;
  return <span role="gridcell" class="wide muted num cut">{seenText(fleet.minions, id, clock.value)}</span>;
}
