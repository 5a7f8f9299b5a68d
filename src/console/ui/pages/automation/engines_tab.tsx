import { useEffect, useState } from "preact/hooks";
import type { Engine, MinionEngine } from "../../../automation.ts";
import { agoText } from "../../../text.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy_button.tsx";
import { DataView } from "../../parts/data_view.tsx";
import { Empty, Problem } from "../../parts/problem.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { useStore } from "../../store/store_context.ts";

const STATES: Record<string, { icon: string; tone: string; label?: string }> = {
  running: { icon: "ok", tone: "ok" },
  starting: { icon: "clock", tone: "info" },
  waiting: { icon: "warn", tone: "bad" },
  stopped: { icon: "stop", tone: "idle" },
  absent: { icon: "off", tone: "warn", label: "unknown engine" },
};

/** The engines of the master and of minions, with their state and the reason of their last end. */
export function EnginesTab() {
  const store = useStore();
  const { automation } = store;
  const { busy, attempt } = useAttempt();
  const [open, setOpen] = useState<string | undefined>(undefined);
  useEffect(() => automation.followEngines(), []);
  const engines = automation.engines.value;
  const error = automation.enginesError.value;
  const ofMinions = [...automation.minionEngines.value].reverse();
  const shown = automation.minionEngines.value.get(open ?? "") ?? engines?.find(({ name }) => name === open);
  const load = () => attempt(() => automation.loadEngines());
  return (
    <>
      <div class="search-row">
        <p class="hint grow">
          Programs that run alongside the master and are restarted when they exit (option{" "}
          <code>engines</code>). Minion engines appear once they change.
        </p>
        <Button icon="again" disabled={busy} onClick={load}>{busy ? "Asking…" : "Refresh"}</Button>
      </div>
      <Problem error={error} retry={load} />
      {engines === undefined
        ? error === undefined && <Empty icon="clock" title="Asking the master…" />
        : engines.length + ofMinions.length === 0
        ? (
          <Empty icon="bolt" title="No engines">
            <p>
              The option <code>engines</code> of the master is empty.
            </p>
          </Empty>
        )
        : (
          <div class={`split ${shown === undefined ? "" : "open"}`}>
            <EngineList engines={[...engines.map((one) => [one.name, one] as const), ...ofMinions]} onOpen={setOpen} />
            {shown !== undefined && (
              <section class="detail" aria-label="Selected engine">
                <header class="section-head">
                  <h2 class="mono cut">{shown.name}</h2>
                  <div class="actions">
                    <CopyButton text={() => JSON.stringify(shown.whole, null, 2)} label="Copy" />
                    <Button icon="bad" kind="quiet" label="Close" onClick={() => setOpen(undefined)} />
                  </div>
                </header>
                <DataView key={shown.name} value={shown.whole} label="Engine" openTo={2} />
              </section>
            )}
          </div>
        )}
    </>
  );
}

function EngineList(
  { engines, onOpen }: { engines: readonly (readonly [string, Engine | MinionEngine])[]; onOpen(key: string): void },
) {
  const store = useStore();
  return (
    <VirtualList
      class="engines"
      label="Engines"
      row={36}
      count={engines.length}
      keyOf={(index) => engines[index]![0]}
      onOpen={(index) => onOpen(engines[index]![0])}
      header={
        <>
          <span role="columnheader">Engine</span>
          <span role="columnheader">State</span>
          <span role="columnheader" class="wide">Since</span>
          <span role="columnheader" class="wide">Restarts</span>
          <span role="columnheader">Last error</span>
        </>
      }
      render={({ index }) => {
        const [, engine] = engines[index]!;
        const { name, module, state, sinceMs, restarts, reason, lastError } = engine;
        const { icon, tone, label = state } = STATES[state] ?? { icon: "question", tone: "idle" };
        return (
          <>
            <span role="gridcell" class="cut">
              {"minion" in engine && <span class="muted">{`${engine.minion} `}</span>}
              {name} {module !== name && <span class="muted small">{module}</span>}
            </span>
            <span role="gridcell" class={`state ${tone}`}>
              <Icon name={icon} size={14} /> <span>{label}</span>
            </span>
            <span role="gridcell" class="wide muted num cut">
              {sinceMs === undefined ? "" : agoText(store.now() - sinceMs)}
            </span>
            <span role="gridcell" class="wide muted num cut">
              {restarts === 0 ? "" : restarts.toLocaleString("en")}
            </span>
            <span role="gridcell" class="cut muted" title={reason || lastError}>{reason || lastError}</span>
          </>
        );
      }}
    />
  );
}
