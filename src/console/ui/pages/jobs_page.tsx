import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { historyTable } from "../../export.ts";
import { href } from "../../route.ts";
import type { Tally } from "../../tally.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { ExportMenu } from "../parts/export_menu.tsx";
import { Problem } from "../parts/problem.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { useStore } from "../store/store_context.ts";
import { JobList } from "./job_list.tsx";

/** The job history with outcomes; running jobs come first. */
export function JobsPage() {
  const store = useStore();
  const [filter, setFilter] = useState("");
  const jobs = store.history.rows.value;
  const running = store.jobs.running.value;
  store.jobs.beat.value;
  const refresh = () => {
    void store.history.load();
    void store.jobs.loadRunning();
  };
  useEffect(() => {
    if (store.history.rows.value === undefined) refresh();
    else void store.jobs.loadRunning();
  }, []);
  const rows = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = (jobs ?? []).filter(({ search }) => words.every((word) => search.includes(word)));
    if (running.size === 0) return found;
    return [...found.filter(({ jid }) => running.has(jid)), ...found.filter(({ jid }) => !running.has(jid))];
  }, [jobs, filter, running]);

  const known = useRef(new Map<string, Tally>());
  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Jobs</h1>
        <div class="actions">
          {jobs !== undefined && <ExportMenu table={() => historyTable(rows, known.current)} />}
          <Button icon="again" onClick={refresh}>Refresh</Button>
        </div>
      </header>
      <div class="search-row">
        <SearchField
          label="Search jobs"
          placeholder="Function, argument, target, user or jid"
          value={filter}
          onChange={setFilter}
        />
      </div>
      <Problem error={store.history.error.value} retry={() => store.history.load()} />
      {jobs === undefined
        ? store.history.error.value === undefined && <Empty icon="clock" title="Loading jobs…" />
        : rows.length === 0
        ? <NoJobs filtered={filter !== ""} />
        : <JobList rows={rows} running={running} known={known.current} />}
    </main>
  );
}

function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon="jobs" title="No jobs match">
        <p>Search for another word or a part of a word.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="jobs" title="No jobs on record">
      <p>
        <a href={href("run")}>Run a function</a>. By default the master keeps returns for one day.
      </p>
    </Empty>
  );
}
