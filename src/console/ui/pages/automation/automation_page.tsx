import { href } from "../../../route.ts";
import { useStore } from "../../store/store_context.ts";
import { EnginesTab } from "./engines_tab.tsx";
import { ReactorTab } from "./reactor_tab.tsx";

const TABS = [["reactor", "Reactor"], ["engines", "Engines"]] as const;

/** Automation of the master: reactions to events, and engines. */
export function AutomationPage() {
  const { query } = useStore().route.value;
  const tab = query.tab === "engines" ? "engines" : "reactor";
  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Automation</h1>
      </header>
      <div class="tabs" role="tablist" aria-label="Automation of the master">
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
        <span class="grow" />
        <p class="hint tab-note">Schedules and beacons are on the page of each minion.</p>
      </div>
      {tab === "reactor" ? <ReactorTab /> : <EnginesTab />}
    </main>
  );
}
