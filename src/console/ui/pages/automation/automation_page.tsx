import { href } from "../../../route.ts";
import { useStore } from "../../store/store_context.ts";
import { EnginesTab } from "./engines_tab.tsx";
import { FleetEntriesTab } from "./fleet_entries_tab.tsx";
import { ReactorTab } from "./reactor_tab.tsx";

const TABS = [
  ["reactor", "Reactor"],
  ["engines", "Engines"],
  ["schedules", "Schedules"],
  ["beacons", "Beacons"],
] as const;

/** Automation: reactions to events and engines of the master, schedules and beacons of minions. */
export function AutomationPage() {
  const { query } = useStore().route.value;
  const tab = TABS.find(([name]) => name === query.tab)?.[0] ?? "reactor";
  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Automation</h1>
      </header>
      <div class="tabs" role="tablist" aria-label="Automation">
        {TABS.map(([name, label]) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab === name}
            onClick={() => location.hash = href("automation", "", { tab: name === "reactor" ? "" : name })}
          >
            {label}
          </button>
        ))}
      </div>
      {tab === "reactor"
        ? <ReactorTab />
        : tab === "engines"
        ? <EnginesTab />
        : <FleetEntriesTab key={tab} kind={tab} />}
    </main>
  );
}
