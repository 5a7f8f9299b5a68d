import { useEffect, useMemo, useState } from "preact/hooks";
import { durationsOf, slowestFirst } from "../../tally.ts";
import { jobTable } from "../../export.ts";
import { isBad, type Job, PART_STATES, type PartState, type ShownPart } from "../../job.ts";
import { argumentsOfRecord, argumentText } from "../../job_arguments.ts";
import { isOrchestration, type JobHead } from "../../job_head.ts";
import type { ReturnGroup } from "../../return_groups.ts";
import { href } from "../../route.ts";
import { durationText } from "../../state_run.ts";
import { agoText, clockText, countText, targetText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Empty } from "../parts/problem.tsx";
import { ExportMenu } from "../parts/export_menu.tsx";
import { Icon } from "../parts/icon.tsx";
import { Segmented } from "../parts/switch.tsx";
import { Bar, Count } from "../parts/state.tsx";
import { useStore } from "../store/store_context.ts";
import { JobGroups, useReturnGroups } from "./job_groups.tsx";
import { FEW, type Folding, JobResults } from "./job_results.tsx";

type View = "minions" | "groups";
type Order = "outcome" | "slowest";

/** One job, while it runs and afterwards: its targets, failures first, each with its return. */
export function JobPage({ jid }: { jid: string }) {
  const store = useStore();
  const job = store.jobs.get(jid);
  const beat = store.jobs.beat.value;
  const [view, setView] = useState<View>("minions");
  const [only, setOnly] = useState<PartState | undefined>(undefined);
  const [among, setAmong] = useState<ReturnGroup | undefined>(undefined);
  const [order, setOrder] = useState<Order>("outcome");
  const [filter, setFilter] = useState("");
  const [folding, setFolding] = useState<Folding>({ toggled: new Set() });
  const { groups, complete } = useReturnGroups(job, beat, view === "groups");
  const parts = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    const shown = job.parts(only === undefined ? undefined : new Set([only])).filter(({ id }) =>
      (among === undefined || among.ids.has(id)) && (wanted === "" || id.toLowerCase().includes(wanted))
    );
    return order === "slowest" ? slowestFirst(shown) : shown;
  }, [job, beat, only, among, order, filter]);
  const toggle = (key: string) => {
    const toggled = new Set(folding.toggled);
    if (!toggled.delete(key)) toggled.add(key);
    setFolding({ ...folding, toggled });
  };
  return (
    <main class="page fill">
      <JobHeader job={job} parts={parts} />
      <JobFacts job={job} />
      {job.size === 0 ? <NoTargets job={job} /> : (
        <>
          <JobProgress
            job={job}
            only={only}
            onOnly={(state) => {
              setOnly(state);
              setView("minions");
            }}
          />
          <div class="tiles small">
            {job.size > 1 && <ViewChoice view={view} onView={setView} />}
            {view === "minions" && among !== undefined && (
              <button
                type="button"
                class="count plain"
                aria-pressed
                onClick={() => setAmong(undefined)}
              >
                {countText(among.ids.size, "minion")} with an equal return <Icon name="bad" size={12} />
                <span class="visually-hidden">show all minions</span>
              </button>
            )}
            <span class="grow" />
            {view === "minions" && (
              <>
                {job.size > FEW && <OrderChoice order={order} onOrder={setOrder} />}
                {job.size > FEW && <MinionFilter value={filter} onChange={setFilter} />}
                <Button kind="quiet" onClick={() => setFolding({ all: true, toggled: new Set() })}>Expand all</Button>
                <Button kind="quiet" onClick={() => setFolding({ all: false, toggled: new Set() })}>
                  Collapse all
                </Button>
              </>
            )}
          </div>
          {view === "minions"
            ? <JobResults job={job} parts={parts} beat={beat} folding={folding} onToggle={toggle} />
            : (
              <JobGroups
                groups={groups}
                complete={complete}
                onShow={(group) => {
                  setAmong(group);
                  setOnly(undefined);
                  setView("minions");
                }}
              />
            )}
        </>
      )}
    </main>
  );
}

const VIEWS: { view: View; label: string }[] = [
  { view: "minions", label: "By minion" },
  { view: "groups", label: "Equal returns" },
];

function ViewChoice({ view, onView }: { view: View; onView(view: View): void }) {
  return (
    <Segmented
      legend="Grouping of the returns"
      name="view"
      options={VIEWS.map(({ view: value, label }) => ({ value, label }))}
      value={view}
      onChange={onView}
    />
  );
}

function OrderChoice({ order, onOrder }: { order: Order; onOrder(order: Order): void }) {
  return (
    <select
      class="compact"
      aria-label="Order"
      value={order}
      onChange={(event) => onOrder(event.currentTarget.value as Order)}
    >
      <option value="outcome">Failures first</option>
      <option value="slowest">Slowest first</option>
    </select>
  );
}

/** The address of the form that runs the same function again; with `forReal` without its `test=True`. */
function runAgain({ fun, arg }: JobHead, tgt: string, type: string, forReal = false): string {
  const again = argumentsOfRecord(arg);
  if (forReal) delete again.kwarg.test;
  return href("run", "", {
    tgt,
    tgt_type: type,
    fun,
    arg: JSON.stringify(again.arg),
    kwarg: Object.keys(again.kwarg).length > 0 ? JSON.stringify(again.kwarg) : "",
  });
}

const targetOf = ({ tgt }: JobHead) => Array.isArray(tgt) ? tgt.join(",") : String(tgt);

// A followed job is one object that changes: each component that reads it subscribes to its beat, since signals skip
// components whose properties are the same as before.

const BAD: ReadonlySet<PartState> = new Set(PART_STATES.filter(isBad));

function JobHeader({ job, parts }: { job: Job; parts: readonly ShownPart[] }) {
  useStore().jobs.beat.value;
  const [cancelling, setCancelling] = useState(false);
  const { head } = job;
  const failed = job.bad === 0 || isOrchestration(head.fun) ? [] : job.parts(BAD).map(({ id }) => id);
  const args = argumentText(head.arg);
  return (
    <header class="page-head">
      <div class="grow">
        <p class="crumb">
          <a href={href("jobs")}>Jobs</a>
        </p>
        <h1 class="mono cut" title={`${head.fun} ${args}`}>
          {head.fun || (job.error === undefined ? "…" : "Unknown job")} <span class="muted light">{args}</span>
        </h1>
      </div>
      <div class="actions">
        {!job.done && job.size > 0 && (
          <Button icon="stop" kind="danger" onClick={() => setCancelling(true)}>Cancel</Button>
        )}
        {job.size > 0 && <CopyButton text={() => JSON.stringify(job, null, 2)} />}
        {job.size > 0 && <ExportMenu table={() => jobTable(job, parts)} />}
        {failed.length > 0 && job.done && failed.length < job.size && (
          <a class="button" href={runAgain(head, failed.join(","), "list")}>
            <Icon name="again" /> <span>Run again on {failed.length} failed</span>
          </a>
        )}
        {job.done && head.fun.startsWith("state.") && argumentsOfRecord(head.arg).kwarg.test === true && (
          <a class="button primary" href={runAgain(head, targetOf(head), head.tgtType, true)}>
            <Icon name="again" /> <span>Make these changes</span>
          </a>
        )}
        {head.fun !== "" && !isOrchestration(head.fun) && (
          <a
            class="button"
            href={runAgain(head, targetOf(head), head.tgtType)}
          >
            <Icon name="again" /> <span>Run again</span>
          </a>
        )}
      </div>
      {cancelling && <ConfirmCancel job={job} onClose={() => setCancelling(false)} />}
    </header>
  );
}

function ConfirmCancel({ job, onClose }: { job: Job; onClose(): void }) {
  const store = useStore();
  store.jobs.beat.value;
  return (
    <Confirm
      title="Cancel this job?"
      action="Cancel job"
      dismiss="Keep running"
      onConfirm={() => store.jobs.cancel(job).catch((error) => store.notices.fail(error))}
      onClose={onClose}
    >
      <p>
        Kills the job's process on {countText(job.open, "minion")}{" "}
        (<code>saltutil.kill_job</code>). Work that is already done is not undone.
      </p>
    </Confirm>
  );
}

function JobFacts({ job }: { job: Job }) {
  const store = useStore();
  store.jobs.beat.value;
  const { head } = job;
  // Until the master has reported the job, only its jid is known.
  const isKnown = head.fun !== "";
  return (
    <dl class="facts">
      {isKnown && (
        <div>
          <dt>Target</dt>
          <dd class="mono cut">
            {targetText(head.tgt)} <span class="muted">{head.tgtType}</span>
          </dd>
        </div>
      )}
      {head.user !== undefined && (
        <div>
          <dt>User</dt>
          <dd>{head.user}</dd>
        </div>
      )}
      {isKnown && head.startedMs !== undefined && (
        <div>
          <dt>Started</dt>
          <dd class="num">
            {clockText(head.startedMs, store.now())}{" "}
            <span class="muted">
              <Ago since={head.startedMs} live={job.size > 0 && !job.done && job.error === undefined} />
            </span>
          </dd>
        </div>
      )}
      <Took job={job} />
      <div>
        <dt>Jid</dt>
        <dd class="mono num">{head.jid}</dd>
      </div>
    </dl>
  );
}

/** The durations of the minions, if the master reports them. */
function Took({ job }: { job: Job }) {
  const beat = useStore().jobs.beat.value;
  const durations = useMemo(() => durationsOf(job.parts()), [job, beat]);
  if (durations === undefined) return null;
  const { median, slowest, slowestId } = durations;
  return (
    <div>
      <dt>{job.done ? "Took" : "Took so far"}</dt>
      <dd class="num" title={`Slowest: ${slowestId}`}>
        {durationText(slowest)} {job.size > 1 && <span class="muted">median {durationText(median)}</span>}
      </dd>
    </div>
  );
}

/** How long ago the job started; updates every second while it runs. */
function Ago({ since, live }: { since: number; live: boolean }) {
  const store = useStore();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), live ? 1000 : 15_000);
    return () => clearInterval(timer);
  }, [live]);
  const text = agoText(store.now() - since);
  return <>{text === "now" ? "just now" : live ? `for ${text}` : `${text} ago`}</>;
}

function NoTargets({ job }: { job: Job }) {
  useStore().jobs.beat.value;
  if (job.error !== undefined) {
    return (
      <Empty icon="question" title="Job not found">
        <p>{job.error}</p>
        <p>
          The master keeps jobs for a limited time. <a href={href("jobs")}>Show the jobs on record</a>.
        </p>
      </Empty>
    );
  }
  if (!job.done && isOrchestration(job.head.fun)) {
    return (
      <Empty icon="play" title="Running on the master">
        <p>
          Its states appear here when it ends. The jobs that it starts are under <a href={href("jobs")}>Jobs</a>.
        </p>
      </Empty>
    );
  }
  if (!job.done) return <Empty icon="clock" title="Loading job…" />;
  return (
    <Empty icon="jobs" title="No targets">
      <p>No minion is on record as a target of this job.</p>
    </Empty>
  );
}

/** The progress of the job: a bar, and the number of targets in each state; a click filters by the state. */
function JobProgress(
  { job, only, onOnly }: {
    job: Job;
    only: PartState | undefined;
    onOnly(only: PartState | undefined): void;
  },
) {
  useStore().jobs.beat.value;
  const counts = PART_STATES.map((state): [PartState, number] => [state, job.count(state)]);
  return (
    <>
      <Bar counts={counts} total={job.size} />
      <div class="tiles small" role="status">
        <span class="count plain">
          <Icon name={!job.done ? "clock" : job.bad > 0 ? "warn" : "ok"} size={14} />
          {job.done
            ? `Finished on ${countText(job.size, "minion")}`
            : job.open === 0
            ? `${countText(job.size, "minion")} so far`
            : `Waiting for ${job.open.toLocaleString("en")} of ${countText(job.size, "minion")}`}
        </span>
        {counts.filter(([, count]) => count > 0).map(([state, count]) => (
          <Count
            key={state}
            state={state}
            count={count}
            pressed={only === state}
            onClick={() => onOnly(only === state ? undefined : state)}
          />
        ))}
      </div>
    </>
  );
}

function MinionFilter({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <label class="search compact">
      <Icon name="search" />
      <input
        type="search"
        data-search
        aria-label="Filter minions of this job"
        placeholder="Filter minions"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
