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
import type { Store } from "../store/store.ts";
import { useStore } from "../store/store_context.ts";

/** What was run, by whom and with which outcomes; what is running comes first. */
export function JobsPage() {
  const store = useStore();
  const [filter, setFilter] = useState("");
  const jobs = store.history.rows.value;
  const running = store.jobs.running.value;
  store.jobs.beat.value;
  useEffect(() => {
    if (store.history.rows.value === undefined) void store.history.load();
    void store.jobs.loadRunning();
  }, []);
  const rows = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = (jobs ?? []).filter(({ search }) => words.every((word) => search.includes(word)));
    if (running.size === 0) return found;
    return [...found.filter(({ jid }) => running.has(jid)), ...found.filter(({ jid }) => !running.has(jid))];
  }, [jobs, filter, running]);
  const [window, setWindow] = useState<[number, number]>([0, 30]);
  const summaries = useSummaries(store, rows.slice(window[0], window[1]).map(({ jid }) => jid), running);

  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Jobs</h1>
        <Button
          icon="again"
          onClick={() => {
            void store.history.load();
            void store.jobs.loadRunning();
          }}
        >
          Read again
        </Button>
      </header>
      <div class="search-row">
        <SearchField
          label="Search in jobs"
          placeholder="Function, argument, target, user or jid"
          value={filter}
          onChange={setFilter}
        />
      </div>
      <Problem error={store.history.error.value} retry={() => store.history.load()} />
      {jobs === undefined
        ? store.history.error.value === undefined && <Empty icon="clock" title="Reading the job history…" />
        : rows.length === 0
        ? (
          <Empty icon="jobs" title={filter === "" ? "No job on record" : "No job fits"}>
            {filter === ""
              ? (
                <p>
                  <a href={href("run")}>Run something</a>; the master keeps its returns for a day unless configured
                  otherwise.
                </p>
              )
              : <p>Search for another word, or for a part of it.</p>}
          </Empty>
        )
        : (
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
                    <a class="mono" href={href("jobs", jid)} tabIndex={-1}>{fun}</a>{" "}
                    <span class="mono muted">{args}</span>
                  </span>
                  <span role="gridcell" class="wide mono cut">{target}</span>
                  <span role="gridcell" class="wide muted cut">{user}</span>
                  <span role="gridcell" class="cut">
                    <Summary tally={summaries.get(jid)} running={running.has(jid)} />
                  </span>
                </>
              );
            }}
          />
        )}
    </main>
  );
}

function Summary({ tally, running }: { tally: Tally | undefined; running: boolean }) {
  if (tally === undefined) return <span class="muted">{running ? "running" : "…"}</span>;
  const { counts } = tally;
  if (counts.length === 0) return <span class="muted">nobody</span>;
  return (
    <>
      {counts.map(([state, count]) => (
        <span key={state} class={`state ${toneOf(state)} small`}>
          {count.toLocaleString("en")} {labelOf(state)}
          {" "}
        </span>
      ))}
    </>
  );
}

/** Outcomes of the jobs in sight, read all at once when the scrolling rests; what has ended is read once. */
function useSummaries(store: Store, jids: string[], running: ReadonlySet<string>): ReadonlyMap<string, Tally> {
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
        // The rows stay without; the list itself says what is wrong.
      }
    }, 150);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key, running]);
  return known.current;
}
