import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { historyTable } from "../../export.ts";
import {
  ANY_JOB,
  filteredJobs,
  isFiltered,
  type JobFilter,
  jobFilterQuery,
  OUTCOME_FILTERS,
  readJobFilter,
  SINCE,
  usersOf,
} from "../../job_filter.ts";
import { href } from "../../route.ts";
import type { JobTally } from "../../tally.ts";
import { Button } from "../parts/button.tsx";
import { Empty, Problem } from "../parts/problem.tsx";
import { ExportMenu } from "../parts/export_menu.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { useAddress } from "../parts/hooks.ts";
import { useStore } from "../store/store_context.ts";
import { JobList } from "./job_list.tsx";

/** The job history with outcomes; running jobs come first. */
export function JobsPage() {
  const store = useStore();
  const [filter, setFilter] = useState<JobFilter>(() => readJobFilter(store.route.value.query));
  useAddress(jobFilterQuery(filter));
  const jobs = store.history.rows.value;
  const running = store.jobs.running.value;
  store.jobs.beat.value;
  const [turn, setTurn] = useState(0);
  const { found, error } = useOutcome(filter.outcome, running, turn);
  const refresh = () => {
    setTurn(turn + 1);
    void store.history.load();
    void store.jobs.loadRunning();
  };
  useEffect(() => {
    if (store.history.rows.value === undefined) void store.history.load();
    void store.jobs.loadRunning();
  }, []);
  const rows = useMemo(() => {
    const listed = filteredJobs(jobs ?? [], filter, found, store.now());
    if (running.size === 0) return listed;
    return [...listed.filter(({ jid }) => running.has(jid)), ...listed.filter(({ jid }) => !running.has(jid))];
  }, [jobs, filter, found, running]);

  const known = useRef(new Map<string, JobTally>());
  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Jobs</h1>
        <div class="actions">
          {jobs !== undefined && <ExportMenu table={() => historyTable(rows, known.current)} />}
          <Button icon="again" onClick={refresh}>Refresh</Button>
        </div>
      </header>
      <JobFilters filter={filter} users={useMemo(() => usersOf(jobs ?? []), [jobs])} onFilter={setFilter} />
      <Problem error={store.history.error.value} retry={() => store.history.load()} />
      <Problem error={error} />
      {jobs === undefined
        ? store.history.error.value === undefined && <Empty icon="clock" title="Loading jobs…" />
        : rows.length === 0
        ? <NoJobs filtered={isFiltered(filter)} onReset={() => setFilter(ANY_JOB)} />
        : <JobList rows={rows} running={running} known={known.current} />}
    </main>
  );
}

/** The jobs with an outcome, found by the master; undefined for any outcome, and until the master has answered. */
function useOutcome(outcome: string, running: ReadonlySet<string>, turn: number) {
  const { history } = useStore();
  const [state, setState] = useState<{ outcome: string; found?: ReadonlySet<string>; error?: unknown }>({
    outcome: "",
  });
  useEffect(() => {
    if (outcome === "" || outcome === "running") return;
    let over = false;
    history.withOutcome(outcome).then(
      (found) => !over && setState({ outcome, found }),
      (error) => !over && setState({ outcome, error }),
    );
    return () => {
      over = true;
    };
  }, [outcome, turn]);
  if (outcome === "running") return { found: running, error: undefined };
  if (state.outcome !== outcome) return { found: undefined, error: undefined };
  return { found: state.found, error: state.error };
}

function JobFilters(
  { filter, users, onFilter }: { filter: JobFilter; users: readonly string[]; onFilter(filter: JobFilter): void },
) {
  const change = (changes: Partial<JobFilter>) => onFilter({ ...filter, ...changes });
  const choice = (
    label: string,
    value: string,
    options: readonly (readonly [string, string])[],
    name: keyof JobFilter,
  ) => (
    <select
      class="compact"
      aria-label={label}
      value={value}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    >
      <option value="">{label}: any</option>
      {options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    </select>
  );
  const shownUsers = filter.user === "" || users.includes(filter.user) ? users : [...users, filter.user];
  return (
    <div class="search-row wraps">
      <SearchField
        label="Search jobs"
        placeholder="Function, argument, target, user or jid"
        value={filter.words}
        onChange={(words) => change({ words })}
      />
      <input
        type="text"
        class="mono compact"
        aria-label="Function"
        placeholder="Function"
        spellcheck={false}
        value={filter.fun}
        onInput={(event) => change({ fun: event.currentTarget.value })}
      />
      {choice("Outcome", filter.outcome, OUTCOME_FILTERS.map((one) => [one, one] as const), "outcome")}
      {choice("User", filter.user, shownUsers.map((one) => [one, one] as const), "user")}
      {choice("Since", filter.since, Object.entries(SINCE).map(([key, { label }]) => [key, label] as const), "since")}
    </div>
  );
}

function NoJobs({ filtered, onReset }: { filtered: boolean; onReset(): void }) {
  if (filtered) {
    return (
      <Empty icon="jobs" title="No jobs match">
        <p>
          Change the filters, or <button type="button" class="link" onClick={onReset}>show all jobs</button>.
        </p>
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
