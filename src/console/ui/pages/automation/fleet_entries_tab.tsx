import { useState } from "preact/hooks";
import { ENTRY_KINDS, type EntryKindName, type FleetEntries, fleetEntries } from "../../../fleet_entries.ts";
import type { TargetValue } from "../../../preview.ts";
import { href } from "../../../route.ts";
import { countText } from "../../../text.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Problem } from "../../parts/problem.tsx";
import { Icon } from "../../parts/icon.tsx";
import { TargetBox, usePreview } from "../../parts/target_box.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { VirtualList } from "../../parts/virtual_list.tsx";
import { useStore } from "../../store/store_context.ts";

const WORDS: Record<EntryKindName, { icon: string; title: string; none: string; tab: string }> = {
  schedules: { icon: "clock", title: "Schedules", none: "No scheduled jobs on these minions", tab: "schedule" },
  beacons: { icon: "eye", title: "Beacons", none: "No beacons on these minions", tab: "beacons" },
};

/** The schedules or beacons of many minions; equal ones share a row. Minions are asked only on request. */
export function FleetEntriesTab({ kind }: { kind: EntryKindName }) {
  const store = useStore();
  const [target, setTarget] = useState<TargetValue>({ tgt: "*", type: "glob" });
  const [found, setFound] = useState<FleetEntries | undefined>(undefined);
  const preview = usePreview(target, ENTRY_KINDS[kind].fun);
  const { busy, error, attempt } = useAttempt();
  const read = () =>
    attempt(async () => {
      const { fun } = ENTRY_KINDS[kind];
      const answers = await store.api.local({ ...job(target), fun, kwarg: { return_yaml: false } });
      setFound(fleetEntries(kind, answers));
    });
  const { icon, title } = WORDS[kind];
  return (
    <>
      <div class="search-row">
        <div class="grow">
          <TargetBox value={target} preview={preview} names={false} onChange={setTarget} />
        </div>
        <Button kind="primary" disabled={busy || target.tgt === ""} onClick={read}>
          {busy ? "Asking the minions…" : "Ask the minions"}
        </Button>
      </div>
      <Problem error={error} />
      {found === undefined
        ? (
          <Empty icon={icon} title={`${title} across the fleet`}>
            <p>
              Choose a target and ask its minions ({ENTRY_KINDS[kind].fun}). Change them on the page of a minion, or in
              pillar.
            </p>
          </Empty>
        )
        : <FoundEntries found={found} kind={kind} />}
    </>
  );
}

const job = ({ tgt, type }: TargetValue) => ({ tgt, tgt_type: type });

function FoundEntries({ found, kind }: { found: FleetEntries; kind: EntryKindName }) {
  const { icon, title, none, tab } = WORDS[kind];
  return (
    <>
      <p class="hint" role="status">
        {countText(found.told, "minion")} told {found.silent.length > 0 && (
          <span class="bad">
            <Icon name="warn" size={12} /> no answer: {found.silent.slice(0, 5).join(", ")}
            {found.silent.length > 5 && ` and ${found.silent.length - 5} more`}
          </span>
        )}
      </p>
      {found.entries.length === 0 ? <Empty icon={icon} title={none} /> : (
        <VirtualList
          class="fleet-entries"
          label={`${title} across the fleet`}
          count={found.entries.length}
          keyOf={(index) => String(index)}
          header={
            <>
              <span role="columnheader">Name</span>
              <span role="columnheader">What</span>
              <span role="columnheader" class="wide">When</span>
              <span role="columnheader">State</span>
              <span role="columnheader">Minions</span>
            </>
          }
          render={({ index }) => {
            const { name, text, when, enabled, ids } = found.entries[index]!;
            return (
              <>
                <span role="gridcell" class="mono cut">{name}</span>
                <span role="gridcell" class="mono cut muted">{text}</span>
                <span role="gridcell" class="cut muted wide">{when}</span>
                <span role="gridcell" class={enabled ? "" : "warn"}>{enabled ? "on" : "off"}</span>
                <span role="gridcell" class="cut">
                  {ids.length === 1
                    ? <a class="mono" href={href("minions", ids[0], { tab })} tabIndex={-1}>{ids[0]}</a>
                    : (
                      <a href={href("fleet", "", { tgt: ids.join(","), tgt_type: "list" })} tabIndex={-1}>
                        {countText(ids.length, "minion")}
                      </a>
                    )}
                </span>
              </>
            );
          }}
        />
      )}
    </>
  );
}
