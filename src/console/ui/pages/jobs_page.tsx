import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { href } from "../../route.ts";
import type { Tally } from "../../tally.ts";
import { clockText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Problem } from "../parts/problem.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { labelOf, toneOf } from "../parts/state.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import type { JobRow } from "../store/job_history.ts";
import type { Store } from "../store/store.ts";
import { useStore } from "../store/store_context.ts";

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

  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Jobs</h1>
        <Button icon="again" onClick={refresh}>Refresh</Button>
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
        : <JobList rows={rows} running={running} />}
    </main>
  );
}

function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon="jobs" title="No jobs match">
        <p>Search for another word, or for a part of it.</p>
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

function JobList({ rows, running }: { rows: readonly JobRow[]; running: ReadonlySet<string> }) {
  const store = useStore();
  const [window, setWindow] = useState<[number, number]>([0, 30]);
  const tallies = useTallies(store, rows.slice(window[0], window[1]).map(({ jid }) => jid), running);
  return (
    <VirtualList
      class="jobs"
      label="Jobs"
      count={rows.length}
      keyOf={(index) => rows[index]!.jid}
      onOpen={(index) => location.hash = href("jobs", rows[index]!.jid)}
      onWindow={(first, end) => setWindow([first, end])}
      header={
        <>
          <span role="columnheader">Started</span>
          <span role="columnheader">Function</span>
          <span role="columnheader" class="wide">Target</span>
          <span role="columnheader" class="wide">User</span>
          <span role="columnheader">Outcome</span>
        </>
      }
      render={({ index }) => {
        const { jid, fun, args, target, user, startedMs } = rows[index]!;
        return (
          <>
            <span role="gridcell" class="num muted cut">
              {startedMs === undefined ? "" : clockText(startedMs, store.now())}
            </span>
            <span role="gridcell" class="cut">
              <a class="mono" href={href("jobs", jid)} tabIndex={-1}>{fun}</a> <span class="mono muted">{args}</span>
            </span>
            <span role="gridcell" class="wide mono cut">{target}</span>
            <span role="gridcell" class="wide muted cut">{user}</span>
            <span role="gridcell" class="cut">
              <Outcomes tally={tallies.get(jid)} running={running.has(jid)} />
            </span>
          </>
        );
      }}
    />
  );
}

function Outcomes({ tally, running }: { tally: Tally | undefined; running: boolean }) {
  if (tally === undefined) return <span class="muted">{running ? "running" : "…"}</span>;
  const { counts } = tally;
  if (counts.length === 0) return <span class="muted">no minions</span>;
  return (
    <>
      {counts.map(([state, count]) => (
        <span key={state} class={`state outcome ${toneOf(state)} small`}>
          {count.toLocaleString("en")} {labelOf(state)}
        </span>
      ))}
    </>
  );
}

/** Outcomes of the visible jobs, read together once scrolling stops; those of finished jobs are read once. */
function useTallies(store: Store, jids: string[], running: ReadonlySet<string>): ReadonlyMap<string, Tally> {
  const known = useRef(new Map<string, Tally>());
  const [, redraw] = useState(0);
  const key = jids.join();
  useEffect(() => {
    let over = false;
    const timer = setTimeout(async () => {
      const wanted = jids.filter((jid) => known.current.get(jid)?.done !== true);
      try {
        await store.tallies.read(wanted, (jid, tally) => {
          known.current.set(jid, tally);
          if (!over) redraw((count) => count + 1);
        });
      } catch {
        // The rows stay without outcomes; the page shows the error of the list itself.
      }
    }, 150);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key, running]);
  return known.current;
}
