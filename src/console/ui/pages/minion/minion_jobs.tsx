import { useEffect, useMemo, useRef } from "preact/hooks";
import { historyTable } from "../../../export.ts";
import { jobsOfMinion } from "../../../minion_jobs.ts";
import type { JobTally } from "../../../tally.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Problem } from "../../parts/problem.tsx";
import { ExportMenu } from "../../parts/export_menu.tsx";
import { useStore } from "../../store/store_context.ts";
import { JobList } from "../job_list.tsx";

export function MinionJobsTab({ id }: { id: string }) {
  const store = useStore();
  const { fleet, history } = store;
  fleet.grainsBeat.value;
  const jobs = history.rows.value;
  const running = store.jobs.running.value;
  const grains = fleet.grains.of(id);
  const known = useRef(new Map<string, JobTally>());
  useEffect(() => {
    if (history.rows.value === undefined) void history.load();
  }, []);
  const rows = useMemo(() => jobsOfMinion(jobs ?? [], id, grains), [jobs, id, grains]);
  return (
    <>
      <div class="search-row">
        <p class="hint grow">
          Jobs whose target matches this minion, or may match it (pillar, node group, range).
        </p>
        <div class="actions">
          <ExportMenu table={() => historyTable(rows, known.current)} />
          <Button icon="again" onClick={() => history.load()}>Refresh</Button>
        </div>
      </div>
      <Problem error={history.error.value} retry={() => history.load()} />
      {jobs === undefined
        ? history.error.value === undefined && <Empty icon="clock" title="Loading jobs…" />
        : rows.length === 0
        ? <Empty icon="jobs" title="No jobs on record for this minion" />
        : <JobList rows={rows} running={running} known={known.current} minion={id} />}
    </>
  );
}
